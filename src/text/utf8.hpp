#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn::text {

/// The character that a text begins with.
struct Character {
  char32_t code;     ///< of a byte that begins no UTF-8, the byte itself, as Latin-1 has it
  std::size_t size;  ///< in bytes
  bool valid;        ///< false for such a byte
};

/// Decodes the first character of a text that is not empty. Not UTF-8 are overlong forms, surrogates, and what is
/// beyond U+10FFFF (RFC 3629).
Character first_character(std::string_view text);

/// Appends a code point as UTF-8; what is none is left out.
void append_utf8(std::string& text, char32_t code);

/// Takes away the last character: of what is no UTF-8, up to the last byte that can begin one.
void drop_last_character(std::string& text);

/// C0 and C1 controls and DEL (Unicode's general category Cc).
bool is_control(char32_t code);

/// Marks that turn the direction of what is written around them (Unicode's property Bidi_Control).
bool is_direction_mark(char32_t code);

}  // namespace attn::text
