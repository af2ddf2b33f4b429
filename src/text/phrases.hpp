#pragma once

#include <string>
#include <string_view>

namespace attn::text {

/// The text with other words in each of these places.
std::string replaced(std::string_view text, std::string_view what, std::string_view with);
/// Returns true if the text contains one of the phrases, which are separated by '|'.
bool contains_any(std::string_view text, std::string_view phrases);

}  // namespace attn::text
