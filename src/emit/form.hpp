#pragma once

#include <string_view>

namespace attn {

/// What a form of output can do, as bits. An option that needs what the form cannot do is refused.
namespace can {
inline constexpr unsigned sentences = 1;    ///< explain steps
inline constexpr unsigned colours = 2;      ///< draw heat maps
inline constexpr unsigned derivations = 4;  ///< show how one number came about
inline constexpr unsigned comparisons = 8;  ///< show a changed rule beside the unchanged
inline constexpr unsigned questions = 16;   ///< hide numbers and ask for them
inline constexpr unsigned slides = 32;      ///< be a page with slides, or settings to change
inline constexpr unsigned several = 64;     ///< show more than one tensor
inline constexpr unsigned draws = 128;      ///< show random draws in place of steps
}  // namespace can

/// A form of output: text, a page, a program.
struct Form {
  std::string_view name;    ///< on the command line
  std::string_view ending;  ///< of files that have it
  unsigned can;             ///< bits of can
};

}  // namespace attn
