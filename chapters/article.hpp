#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "meaning.hpp"
#include "program.hpp"
#include "walk/lesson.hpp"
#include "walk/slip.hpp"

namespace attn::chapters {

struct Article;

/// A size that only some chapters have: each is an option of theirs, --num-kv-heads.
struct OwnSize {
  std::string_view name;  ///< "num-kv-heads"
  std::string_view doc;   ///< the option's, one line
  std::int64_t example;   ///< of another value than the usual one
  std::int64_t fixture;   ///< what --fixture gives it, where it divides the heads, else 1; 0: it is left as it is
};

/// The options a chapter takes besides seed, inputs and kernels.
struct Takes {
  bool query = false;        ///< parts by hand that follow one query
  bool projections = false;  ///< W_query, W_key, W_value of other sizes or initialisation
  bool batch = false;
  bool dropout = false;
  bool heads = false;
  bool shared_d_out = false;   ///< heads that divide one d_out among them
  bool second_inputs = false;  ///< a second sequence
  std::span<const OwnSize> sizes = {};
  std::int64_t fixture_heads = 3;  ///< so many heads of a fixture
};

inline bool takes_size(const Takes& takes, std::string_view name) {
  return std::ranges::any_of(takes.sizes, [name](const OwnSize& size) { return size.name == name; });
}

/// A chapter of one article.
struct Chapter {
  std::string_view name;
  const Article* article;  ///< whose program it follows
  /// Runs the article's program top to bottom and shows its tensors. Throws LessonError if the lesson's sizes do not
  /// fit each other.
  void (*run)(Program&);
  Takes takes;
  Init init;                 ///< how the article makes its weights
  std::string_view sizes;    ///< the article's own: "6 tokens, d_in 3, d_out 3"
  std::string_view special;  ///< what the article does its own way
};

/// An article: what its folder exports.
struct Article {
  std::string_view name;  ///< on the command line: "ahead-of-ai"
  std::string_view title;
  Cpu cpu;                     ///< PyTorch's kernels that it was made with
  std::string_view generator;  ///< whose random numbers it has, where not PyTorch's; may be empty
  std::string_view sentence;   ///< its words are the tokens
  std::span<const Chapter> chapters;
  std::span<const Slip> slips;        ///< what its page is known to get wrong
  std::span<const Meaning> meanings;  ///< before those that all articles share
};

}  // namespace attn::chapters
