#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "text/ascii.hpp"

/// Pieces of lines that the readers look for.
namespace attn::verify {

inline constexpr std::size_t npos = std::string_view::npos;

/// Whether a program's names may have it.
constexpr bool is_name_part(char c) { return text::is_letter(c) || text::is_digit(c) || c == '_'; }

/// "torch.nn.Linear", and nothing else.
constexpr bool is_path(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_name_part(c) || c == '.'; });
}

/// The name that the text begins with; empty where it begins with none.
constexpr std::string_view leading_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_name_part(text[end])) {
    ++end;
  }
  return text.substr(0, end);
}

/// The text without those characters at its begin.
constexpr std::string_view without_leading(std::string_view text, std::string_view unwanted) {
  return text.substr(std::min(text.find_first_not_of(unwanted), text.size()));
}

/// The text without those characters at its end.
constexpr std::string_view without_trailing(std::string_view text, std::string_view unwanted) {
  return text.substr(0, text.find_last_not_of(unwanted) + 1);
}

constexpr std::string_view without_indent(std::string_view line) { return without_leading(line, " \t"); }

}  // namespace attn::verify
