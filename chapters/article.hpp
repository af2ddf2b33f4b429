#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "chapters/meaning.hpp"
#include "chapters/program.hpp"
#include "walk/lesson.hpp"

namespace attn::chapters {

struct Article;

/// A size that only some chapters have, and its option: --num-kv-heads.
struct OwnSize {
  std::string_view name;  ///< "num-kv-heads"
  std::string_view doc;   ///< the option's description, one line
  std::int64_t example;   ///< a value other than the default
  std::int64_t fixture;   ///< its value with --fixture if it divides the heads; else 1; 0: unchanged
};

/// The options of a chapter, in addition to seed, inputs and kernels.
struct Takes {
  bool query = false;        ///< has parts that follow one query by hand
  bool projections = false;  ///< sizes and initialisation of W_query, W_key and W_value
  bool batch = false;
  bool dropout = false;
  bool heads = false;
  bool shared_d_out = false;   ///< the heads divide one d_out among them
  bool second_inputs = false;  ///< a second sequence
  bool only_drawn = false;     ///< weights made by hand do not fit: it tells positions apart itself, or has gradients
  std::span<const OwnSize> sizes = {};
  std::int64_t d_in = 3;           ///< columns of inputs that are drawn
  std::int64_t fixture_heads = 3;  ///< the number of heads with --fixture and --attend-to
};

inline bool takes_size(const Takes& takes, std::string_view name) {
  return std::ranges::any_of(takes.sizes, [name](const OwnSize& size) { return size.name == name; });
}

/// A chapter of one article.
struct Chapter {
  std::string_view name;
  const Article* article;  ///< the article that it belongs to
  /// Runs the article's program top to bottom and shows its tensors. Throws LessonError if the lesson's sizes do not
  /// fit each other.
  void (*run)(Program&);
  Takes takes;
  Init init;                 ///< the article's initialisation of weights
  std::string_view sizes;    ///< the article's sizes: "6 tokens, d_in 3, d_out 3"
  std::string_view special;  ///< special features of the article's chapter
};

/// A known error on an article's page.
struct Slip {
  /// The printed tensors that have the error.
  enum class Where { always, no_grad_fn, missing_parenthesis, other_shape };

  std::string_view chapter;
  std::string_view step;   ///< the step's name
  std::string_view label;  ///< the text before the tensor must contain this; empty: any text
  Where where = Where::always;
  std::string_view text;  ///< one sentence
};

/// An article; each folder exports one.
struct Article {
  std::string_view name;  ///< on the command line: "ahead-of-ai"
  std::string_view title;
  Cpu cpu;                     ///< the PyTorch kernels that it was made with
  std::string_view generator;  ///< the source of its random numbers; empty: PyTorch
  std::string_view sentence;   ///< the sentence whose words are the tokens
  std::span<const Chapter> chapters;
  std::span<const Slip> slips;        ///< known errors of its page
  std::span<const Meaning> meanings;  ///< tried before the meanings that all articles share
};

}  // namespace attn::chapters
