#pragma once

#include <string>
#include <string_view>

/// Pages that are not UTF-8, as UTF-8.
namespace attn::verify {

/// UTF-8 of UTF-16, as PowerShell's > writes it; halves of pairs are left out.
std::string from_utf16(std::string_view bytes, bool big_endian);

bool is_utf8(std::string_view text);

/// The text with whatever is not UTF-8 taken as Latin-1.
std::string repaired_utf8(std::string_view text);

}  // namespace attn::verify
