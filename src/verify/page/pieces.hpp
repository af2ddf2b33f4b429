#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "text/utf8.hpp"

/// Parts of lines that several readers look for.
namespace attn::verify {

inline constexpr std::size_t npos = std::string_view::npos;

/// Returns true if the character may be part of a program's name.
constexpr bool is_name_part(char c) { return text::is_letter(c) || text::is_digit(c) || c == '_'; }

/// Returns true for "torch.nn.Linear" and nothing else.
constexpr bool is_path(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_name_part(c) || c == '.'; });
}

/// Returns true if the word is one of those in a text that has spaces between them.
constexpr bool is_among(std::string_view word, std::string_view words) {
  for (std::size_t at = words.find(word); at != npos && !word.empty(); at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) {
      return true;
    }
  }
  return false;
}

/// The name at the text's start; empty if there is none.
constexpr std::string_view leading_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_name_part(text[end])) {
    ++end;
  }
  return text.substr(0, end);
}

/// The text without those characters at its start.
constexpr std::string_view without_leading(std::string_view text, std::string_view unwanted) {
  return text.substr(std::min(text.find_first_not_of(unwanted), text.size()));
}

/// The text without those characters at its end.
constexpr std::string_view without_trailing(std::string_view text, std::string_view unwanted) {
  return text.substr(0, text.find_last_not_of(unwanted) + 1);
}

constexpr std::string_view without_indent(std::string_view line) { return without_leading(line, " \t"); }

}  // namespace attn::verify
