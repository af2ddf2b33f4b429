#pragma once

/// ASCII characters, independent of the locale.

#include <cstddef>
#include <string>
#include <string_view>

namespace attn::text {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The first character of a text.
struct Character {
  char32_t code;     ///< the code point; for an invalid byte, its value in Latin-1
  std::size_t size;  ///< in bytes
  bool valid;        ///< false for an invalid byte
};

/// Decodes the first character of a non-empty text. Overlong forms, surrogates and code points above U+10FFFF are
/// invalid (RFC 3629).
Character first_character(std::string_view text);

/// Appends a code point as UTF-8; ignores an invalid one.
void append_utf8(std::string& text, char32_t code);

/// Removes the last character; in invalid UTF-8, everything from the last byte that can begin a character.
void drop_last_character(std::string& text);

/// C0 and C1 controls and DEL (Unicode's general category Cc).
bool is_control(char32_t code);

/// Marks that change the direction of the text around them (Unicode's property Bidi_Control).
bool is_direction_mark(char32_t code);

/// White space other than controls (Unicode's general categories Z).
bool is_space(char32_t code);

/// Returns false for format characters, private use and codes without a character (Cf, Co, Cs, Cn).
bool is_printable(char32_t code);

/// Codes that stand for no character in any text (Unicode's U+FFFE and U+FFFF, and so on of each plane).
constexpr bool is_noncharacter(char32_t code) { return (code & 0xFFFE) == 0xFFFE; }

}  // namespace attn::text
