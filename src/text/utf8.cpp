#include "text/utf8.hpp"

#include <utf8proc.h>

#include <array>

namespace attn::text {

Character first_character(std::string_view text) {
  utf8proc_int32_t code = -1;
  const utf8proc_ssize_t size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                 static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (size <= 0) {
    return {static_cast<unsigned char>(text.front()), 1, false};
  }
  return {static_cast<char32_t>(code), static_cast<std::size_t>(size), true};
}

void append_utf8(std::string& text, char32_t code) {
  if (!utf8proc_codepoint_valid(static_cast<utf8proc_int32_t>(code))) {
    return;
  }
  std::array<utf8proc_uint8_t, 4> bytes{};
  const utf8proc_ssize_t size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
}

void drop_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U) {
    text.pop_back();
  }
  if (!text.empty()) {
    text.pop_back();
  }
}

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

bool is_direction_mark(char32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool is_space(char32_t code) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

bool is_printable(char32_t code) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return category != UTF8PROC_CATEGORY_CF && category != UTF8PROC_CATEGORY_CO && category != UTF8PROC_CATEGORY_CS &&
         category != UTF8PROC_CATEGORY_CN;
}

}  // namespace attn::text
