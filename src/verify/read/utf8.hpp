#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn::verify {

/// The character that a text begins with.
struct Character {
  char32_t code;     ///< of a byte that is no UTF-8, the byte itself, as Latin-1 has it
  std::size_t size;  ///< in bytes
  bool valid;
};

/// Decodes the first character of a text that is not empty.
Character first_character(std::string_view text);

void append_utf8(std::string& text, char32_t code);

/// UTF-8 of UTF-16, as PowerShell's > writes it; halves of pairs are left out.
std::string from_utf16(std::string_view bytes, bool big_endian);

/// The text with whatever is not UTF-8 taken as Latin-1.
std::string repaired_utf8(std::string_view text);

}  // namespace attn::verify
