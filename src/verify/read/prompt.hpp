#pragma once

#include <cstddef>
#include <string_view>

namespace attn::verify {

/// The length of what stands before a statement at a prompt, as ">>> ", "In [3]: " or "iex(1)> " and the
/// blanks before that; 0 where the line has no prompt.
std::size_t prompt_length(std::string_view line);

/// The same for the further lines of a statement: "... " or "   ...: ".
std::size_t continuation_length(std::string_view line);

}  // namespace attn::verify
