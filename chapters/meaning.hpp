#pragma once

#include <optional>
#include <string_view>

namespace attn::chapters {

/// Why a step is there. What is empty fits everything; a name that ends with * fits all names with that beginning, and
/// names with | between them each.
struct Meaning {
  std::string_view step;
  std::string_view text;
  std::string_view tail = {};                     ///< what goes on after the text
  std::optional<std::string_view> own_tail = {};  ///< instead, where a reader's own numbers are in it
  std::string_view chapter = {};
  std::string_view section = {};
};

}  // namespace attn::chapters
