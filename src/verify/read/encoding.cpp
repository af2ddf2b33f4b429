#include "verify/read/encoding.hpp"

#include <cstddef>

#include "text/utf8.hpp"

namespace attn::verify {

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
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    if (!is_surrogate) {
      text::append_utf8(text, code);
    } else if (code < 0xdc00 && i + 3 < bytes.size() && (unit(i + 2) & 0xfc00U) == 0xdc00U) {
      text::append_utf8(text, 0x10000U + ((code & 0x3ffU) << 10U) + (unit(i + 2) & 0x3ffU));
      i += 2;
    }
  }
  return text;
}

}  // namespace attn::verify
