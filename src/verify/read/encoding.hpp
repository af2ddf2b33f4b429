#pragma once

#include <string>
#include <string_view>

namespace attn::verify {

/// Converts UTF-16, as PowerShell's > writes it, to UTF-8; unpaired surrogates are left out.
std::string from_utf16(std::string_view bytes, bool big_endian);

}  // namespace attn::verify
