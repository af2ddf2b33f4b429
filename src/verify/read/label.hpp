#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn::verify {

/// The words before something printed: those on its line or, where there are none, the line before if it is short.
/// `begin` is where it is printed, `from` where the page is free again behind what was printed before.
std::string_view find_label(std::string_view page, std::size_t from, std::size_t begin);

}  // namespace attn::verify
