#pragma once

#include <algorithm>

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
  std::string_view sizes;    ///< the article's sizes: "6 tokens, d_in 3, d_out 3"
  std::string_view special;  ///< special features of the article's chapter
  Takes takes = {};
  Init init = Init::linear;  ///< the article's initialisation of weights
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

/// The reason for a step.
struct Meaning {
  std::string_view place;  ///< "chapter:section/step", the step alone, or without one of the others. A name that ends
                           ///< with * matches all names with that prefix; | separates alternatives.
  std::string_view text;
  std::string_view tail = {};                     ///< follows the text
  std::optional<std::string_view> own_tail = {};  ///< replaces the tail if the user's own numbers are in the step
};

// Texts that articles share.

inline constexpr std::string_view query_weights =
    "The weights that turn an embedding into a query: what a token looks for.";
inline constexpr std::string_view key_weights =
    "The weights that turn an embedding into a key: what a token offers for comparison.";
inline constexpr std::string_view value_weights =
    "The weights that turn an embedding into a value: what a token passes on to those that attend to it.";
inline constexpr std::string_view weights_of_a_head =
    "This head's attention weights: how each token distributes its attention over itself and the tokens before it.";
inline constexpr std::string_view scaling_of_heads =
    "Scaling keeps softmax from putting almost all weight on one token.";

/// An article; each file exports one.
struct Article {
  std::string_view name;  ///< on the command line: "ahead-of-ai"
  std::string_view title;
  Cpu cpu;                          ///< the PyTorch kernels that it was made with
  std::string_view generator = {};  ///< the source of its random numbers; empty: PyTorch
  std::string_view sentence = {};   ///< the sentence whose words are the tokens
  std::span<const Chapter> chapters;
  std::span<const Slip> slips = {};        ///< known errors of its page
  std::span<const Meaning> meanings = {};  ///< tried before the meanings that all articles share
};

/// "Build a LLM from scratch: Attention Mechanism".
namespace blog {
extern const Article article;
}
/// "Attention".
namespace primer {
extern const Article article;
}
/// "Chapter 3: Coding Attention Mechanisms".
namespace livebook {
extern const Article article;
}
/// "Understanding and Coding Self-Attention, Multi-Head Attention, Cross-Attention, and Causal-Attention in LLMs".
namespace ahead_of_ai {
extern const Article article;
}
/// "Build a Large Language Model (From Scratch)", chapter 3.
namespace book {
extern const Article article;
}
/// Attention in today's models: an article written for this tool.
namespace modern {
extern const Article article;
}

}  // namespace attn::chapters
