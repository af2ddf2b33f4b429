#pragma once

#include <optional>
#include <string_view>

namespace attn::chapters {

/// The reason for a step. An empty field matches everything; a name that ends with * matches all names with that
/// prefix; | separates alternatives.
struct Meaning {
  std::string_view step;
  std::string_view text;
  std::string_view tail = {};                     ///< follows the text
  std::optional<std::string_view> own_tail = {};  ///< replaces the tail if the user's own numbers are in the step
  std::string_view chapter = {};
  std::string_view section = {};
};

}  // namespace attn::chapters
