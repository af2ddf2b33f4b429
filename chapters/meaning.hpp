#pragma once

#include <optional>
#include <string_view>

namespace attn::chapters {

/// The reason for a step. An empty field matches everything; a name that ends with * matches all names with that
/// prefix; | separates alternatives.
struct Meaning {
  std::string_view step;
  std::string_view text;
  std::string_view tail = {};                     ///< what goes on after the text
  std::optional<std::string_view> own_tail = {};  ///< instead, where a reader's own numbers are in it
  std::string_view chapter = {};
  std::string_view section = {};
};

}  // namespace attn::chapters
