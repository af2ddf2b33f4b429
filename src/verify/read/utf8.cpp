#include "verify/read/utf8.hpp"

#include <cstdint>

namespace attn::verify {
namespace {

constexpr char32_t last_code = 0x10ffff;

bool is_surrogate(char32_t code) { return code >= 0xd800 && code < 0xe000; }

/// The length of the sequence that this byte opens; 0 for a byte that opens none.
std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) {
    return 1;
  }
  if (first < 0xc2 || first > 0xf4) {
    return 0;
  }
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

}  // namespace

Character first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const Character broken{first, 1, false};
  const std::size_t length = sequence_length(first);
  if (length == 1) {
    return {first, 1, true};
  }
  if (length == 0 || length > text.size()) {
    return broken;
  }
  char32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) {
      return broken;
    }
    code = (code << 6U) | (next & 0x3fU);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[length] || code > last_code || is_surrogate(code)) {
    return broken;
  }
  return {code, length, true};
}

void append_utf8(std::string& text, char32_t code) {
  const auto add = [&text](char32_t byte) { text.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0U | (code >> 6U));
    add(0x80U | (code & 0x3fU));
  } else if (code < 0x10000) {
    add(0xe0U | (code >> 12U));
    add(0x80U | ((code >> 6U) & 0x3fU));
    add(0x80U | (code & 0x3fU));
  } else if (code <= last_code) {
    add(0xf0U | (code >> 18U));
    add(0x80U | ((code >> 12U) & 0x3fU));
    add(0x80U | ((code >> 6U) & 0x3fU));
    add(0x80U | (code & 0x3fU));
  }
}

std::string from_utf16(std::string_view bytes, bool big_endian) {
  const auto unit = [&](std::size_t i) -> char32_t {
    const auto low = static_cast<unsigned char>(bytes[big_endian ? i + 1 : i]);
    const auto high = static_cast<unsigned char>(bytes[big_endian ? i : i + 1]);
    return static_cast<char32_t>(high) << 8U | low;
  };
  std::string text;
  text.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const char32_t code = unit(i);
    if (!is_surrogate(code)) {
      append_utf8(text, code);
    } else if (code < 0xdc00 && i + 3 < bytes.size() && (unit(i + 2) & 0xfc00U) == 0xdc00U) {
      append_utf8(text, 0x10000U + ((code & 0x3ffU) << 10U) + (unit(i + 2) & 0x3ffU));
      i += 2;
    }
  }
  return text;
}

std::string repaired_utf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    append_utf8(repaired, character.code);
    text.remove_prefix(character.size);
  }
  return repaired;
}

}  // namespace attn::verify
