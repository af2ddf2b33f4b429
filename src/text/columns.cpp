#include "text/lines.hpp"

#include <algorithm>

#include <utf8proc.h>

#include "text/utf8.hpp"

namespace attn::text {
namespace {

std::int64_t columns_of(const Character& character) {
  if (character.code < 0x80 || !character.valid || is_control(character.code)) {
    return 1;
  }
  return utf8proc_charwidth(static_cast<utf8proc_int32_t>(character.code));
}

std::string blanks(std::int64_t columns) {
  return std::string(static_cast<std::size_t>(std::max<std::int64_t>(columns, 0)), ' ');
}

}  // namespace

std::int64_t display_columns(std::string_view text) {
  std::int64_t columns = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    columns += columns_of(character);
    text.remove_prefix(character.size);
  }
  return columns;
}

std::size_t cluster_size(std::string_view text) {
  std::size_t size = text.empty() ? 0 : first_character(text).size;
  while (size < text.size()) {
    const Character next = first_character(text.substr(size));
    if (columns_of(next) > 0) {
      break;
    }
    size += next.size;
  }
  return size;
}

std::string_view beginning(std::string_view text, std::int64_t columns) {
  std::size_t size = 0;
  while (size < text.size()) {
    const Character character = first_character(text.substr(size));
    columns -= columns_of(character);
    if (columns < 0) {
      break;
    }
    size += character.size;
  }
  return text.substr(0, size);
}

std::string shortened(std::string_view text, std::int64_t most) {
  constexpr std::string_view dots = "...";
  const std::int64_t columns = display_columns(text);
  if (columns <= most) {
    return std::string(text);
  }
  const std::int64_t room = most - static_cast<std::int64_t>(dots.size());
  const std::string_view begin = beginning(text, room - room / 2);
  const std::string_view without_end = beginning(text, columns - room / 2);
  return std::string(begin) + std::string(dots) + std::string(text.substr(without_end.size()));
}

std::string right_aligned(std::string_view text, std::int64_t columns) {
  return blanks(columns - display_columns(text)) + std::string(text);
}

std::string left_aligned(std::string_view text, std::int64_t columns) {
  return std::string(text) + blanks(columns - display_columns(text));
}

}  // namespace attn::text
