#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn::verify {

/// The words before something printed: those on its line or, if there are none, the previous line if it is short.
/// `begin` is where the output begins, `from` where the previous output ends.
std::string_view find_label(std::string_view page, std::size_t from, std::size_t begin);

}  // namespace attn::verify
