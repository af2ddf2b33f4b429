#pragma once

#include <cstddef>
#include <string_view>

namespace attn::verify {

/// The length of a prompt before a statement, such as ">>> ", "In [3]: " or "iex(1)> ", including the blanks before it;
/// 0 if the line has none.
std::size_t prompt_length(std::string_view line);

/// The length of a prompt on a statement's further lines: "... " or "   ...: ".
std::size_t continuation_length(std::string_view line);

}  // namespace attn::verify
