#pragma once

#include <string>
#include <string_view>

namespace attn::verify {

/// UTF-8 of UTF-16, as PowerShell's > writes it; halves of pairs are left out.
std::string from_utf16(std::string_view bytes, bool big_endian);

}  // namespace attn::verify
