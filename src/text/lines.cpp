#include "text/lines.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "text/utf8.hpp"

namespace attn::text {

namespace {

/// Escapes unprintable characters as \xNN, except the control characters in `kept`.
std::string escaped(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const Character character = first_character(text);
    const bool is_kept = kept.find(text[0]) != std::string_view::npos;
    const bool is_shown = is_kept || (character.valid && !is_control(character.code) &&
                                      !is_direction_mark(character.code) && !is_noncharacter(character.code));
    const std::size_t size = is_shown ? character.size : 1;
    if (is_shown) {
      shown += text.substr(0, size);
    } else {
      std::array<char, 5> hex{};
      std::snprintf(hex.data(), hex.size(), "\\x%02x", static_cast<unsigned char>(text[0]));
      shown += hex.data();
    }
    text.remove_prefix(size);
  }
  return shown;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n\v\f";
  const std::size_t begin = std::min(text.find_first_not_of(space), text.size());
  const std::size_t end = text.find_last_not_of(space);
  return text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, size));
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> wrapped(std::string_view line, std::int64_t width) {
  std::vector<std::string> lines(1);
  std::size_t word_begin = 0;  // the start of the word within the last line
  while (!line.empty()) {
    const std::size_t size = cluster_size(line);
    lines.back() += line.substr(0, size);
    if (display_columns(lines.back()) > std::max<std::int64_t>(width, 1) && line[0] != ' ') {
      const std::size_t cut = word_begin > 0 ? word_begin : lines.back().size() - size;
      if (cut > 0) {
        std::string tail = lines.back().substr(cut);
        lines.back().resize(cut);
        lines.push_back(std::move(tail));
        word_begin = 0;
      }
    }
    word_begin = line[0] == ' ' ? lines.back().size() : word_begin;
    line.remove_prefix(size);
  }
  return lines;
}

std::vector<std::string> wrapped(std::string_view line, std::int64_t width, std::string_view first,
                                 std::string_view next) {
  std::vector<std::string> lines = wrapped(line, width - display_columns(next));
  std::string_view indent = first;
  for (std::string& one : lines) {
    one = std::string(indent) + one.substr(0, one.find_last_not_of(' ') + 1);
    indent = next;
  }
  return lines;
}

std::string joined(std::span<const std::string> parts, std::string_view between) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += i == 0 ? "" : between;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string visible(std::string_view text) { return escaped(text, "\n\t"); }

std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 800;
  if (text.size() > longest) {
    const std::string_view end = text.substr(text.size() - longest / 2);
    return one_line(text.substr(0, longest / 2)) + "..." + one_line(end);
  }
  return escaped(text, "");
}

std::string quoted(std::string_view text) { return "'" + one_line(text) + "'"; }

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string result(text);
  for (std::size_t at = result.find(what); at != std::string::npos; at = result.find(what, at + with.size())) {
    result.replace(at, what.size(), with);
  }
  return result;
}

bool contains_any(std::string_view text, std::string_view phrases) {
  bool found = false;
  while (!phrases.empty() && !found) {
    const std::size_t end = std::min(phrases.find('|'), phrases.size());
    found = text.find(phrases.substr(0, end)) != std::string_view::npos;
    phrases.remove_prefix(std::min(end + 1, phrases.size()));
  }
  return found;
}

}  // namespace attn::text
