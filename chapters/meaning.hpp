#pragma once

#include <string_view>

namespace attn::chapters {

/// Why a step is there. What is empty fits everything; a name that ends with * fits all names with that beginning.
struct Meaning {
  std::string_view step;
  std::string_view text;
  std::string_view chapter = {};
  std::string_view section = {};
  std::string_view own = {};  ///< the text where a reader's own numbers are in it; empty: the same
};

}  // namespace attn::chapters
