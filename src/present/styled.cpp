#include "present/styled.hpp"

#include <algorithm>
#include <charconv>

#include "render/ramp.hpp"
#include "render/terminal.hpp"

namespace attn::present {
namespace {

std::vector<int> numbers_of(std::string_view parameters) {
  std::vector<int> numbers(1, 0);
  for (const char c : parameters) {
    if (c == ';' || c == ':') {
      numbers.push_back(0);
    } else if (c >= '0' && c <= '9') {
      numbers.back() = std::min(numbers.back() * 10 + (c - '0'), 9999);
    }
  }
  return numbers;
}

/// Reads "5;n" or "2;r;g;b" from `at` on, and moves `at` to its last number.
int extended_colour(const std::vector<int>& numbers, std::size_t& at) {
  if (at + 1 < numbers.size() && numbers[at] == 5) {
    return std::min(numbers[++at], 255);
  }
  if (at + 3 < numbers.size() && numbers[at] == 2) {
    const auto channel = [&numbers](std::size_t i) { return static_cast<std::uint8_t>(std::min(numbers[i], 255)); };
    const render::Rgb colour = {channel(at + 1), channel(at + 2), channel(at + 3)};
    at += 3;
    return render::nearest_xterm(colour);
  }
  return -1;
}

void apply_colour(Style& style, const std::vector<int>& numbers, std::size_t& at) {
  const int number = numbers[at];
  int& colour = (number / 10) % 2 == 1 ? style.foreground : style.background;  // 30 to 39, 90 to 97
  if (number % 10 == 8 && number < 50) {
    colour = extended_colour(numbers, ++at);
  } else if (number % 10 == 9) {
    colour = -1;
  } else {
    colour = number % 10 + (number >= 90 ? 8 : 0);
  }
}

void apply(Style& style, std::string_view parameters) {
  const std::vector<int> numbers = numbers_of(parameters);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    switch (const int number = numbers[i]) {
      case 0: style = {}; break;
      case 1: style.bold = true; break;
      case 4: style.underline = true; break;
      case 7: style.reverse = true; break;
      case 22: style.bold = false; break;
      case 24: style.underline = false; break;
      case 27: style.reverse = false; break;
      default:
        if ((number >= 30 && number < 50) || (number >= 90 && number < 108)) {
          apply_colour(style, numbers, i);
        }
    }
  }
}

/// The characters of the sequence that begins with this escape, which ends in a letter.
std::size_t sequence_size(std::string_view text) {
  if (text.size() < 2 || text[1] != '[') {
    return 1;
  }
  std::size_t size = 2;
  while (size < text.size() && (text[size] < '@' || text[size] > '~')) {
    ++size;
  }
  return std::min(size + 1, text.size());
}

/// The bytes of the character that the text begins with, and of the marks that combine with it.
std::size_t character_size(std::string_view text) {
  const auto code_point_size = [&text](std::size_t at) {
    std::size_t size = 1;
    while (at + size < text.size() && (static_cast<unsigned char>(text[at + size]) & 0xC0U) == 0x80U) {
      ++size;
    }
    return size;
  };
  std::size_t size = code_point_size(0);
  while (size < text.size() && render::display_columns(text.substr(size, code_point_size(size))) == 0) {
    size += code_point_size(size);
  }
  return size;
}

}  // namespace

std::vector<Run> runs_of(std::string_view line) {
  std::vector<Run> runs;
  Style style;
  while (!line.empty()) {
    if (line[0] == '\x1b') {
      const std::size_t size = sequence_size(line);
      if (size > 2 && line[size - 1] == 'm') {
        apply(style, line.substr(2, size - 3));
      }
      line.remove_prefix(size);
      continue;
    }
    const std::size_t size = std::min(line.find('\x1b'), line.size());
    runs.push_back({std::string(line.substr(0, size)), style});
    line.remove_prefix(size);
  }
  return runs;
}

std::vector<Run> sliced(const std::vector<Run>& line, std::int64_t from, std::int64_t width) {
  std::vector<Run> slice;
  std::int64_t column = 0;
  for (const Run& run : line) {
    Run kept = {"", run.style};
    for (std::string_view rest = run.text; !rest.empty() && column < from + width;) {
      const std::size_t size = character_size(rest);
      const std::int64_t end = column + render::display_columns(rest.substr(0, size));
      if (column >= from && end <= from + width) {
        kept.text += rest.substr(0, size);
      } else if (end > from) {
        kept.text.append(static_cast<std::size_t>(std::min(end, from + width) - std::max(column, from)), ' ');
      }
      column = end;
      rest.remove_prefix(size);
    }
    slice.push_back(std::move(kept));
  }
  return slice;
}

std::string sgr(const Run& run) {
  const Style& style = run.style;
  if (style == Style{}) {
    return run.text;
  }
  std::string parameters = style.bold ? ";1" : "";
  parameters += style.underline ? ";4" : "";
  parameters += style.reverse ? ";7" : "";
  parameters += style.foreground < 0 ? "" : ";38;5;" + std::to_string(style.foreground);
  parameters += style.background < 0 ? "" : ";48;5;" + std::to_string(style.background);
  return "\x1b[" + parameters.substr(1) + "m" + run.text + "\x1b[0m";
}

std::int64_t columns_of(std::string_view line) {
  std::int64_t columns = 0;
  for (const Run& run : runs_of(line)) {
    columns += render::display_columns(run.text);
  }
  return columns;
}

std::string bold(const std::string& text) { return "\x1b[1m" + text + "\x1b[22m"; }

std::string reversed(const std::string& text) { return "\x1b[7m" + text + "\x1b[27m"; }

std::string marked(std::string_view text, const std::vector<std::pair<std::size_t, std::size_t>>& parts) {
  std::string out;
  std::size_t done = 0;
  for (const auto& [offset, size] : parts) {
    out += text.substr(done, offset - done);
    out += reversed(std::string(text.substr(offset, size)));
    done = offset + size;
  }
  return out + std::string(text.substr(done));
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

std::vector<std::string> wrapped(const std::string& line, std::int64_t width) {
  std::vector<std::string> lines(1);
  std::size_t word_begin = 0;  // in the last line
  for (std::string_view rest = line; !rest.empty();) {
    const std::size_t size = character_size(rest);
    lines.back() += rest.substr(0, size);
    if (render::display_columns(lines.back()) > std::max<std::int64_t>(width, 1) && rest[0] != ' ') {
      const std::size_t cut = word_begin > 0 ? word_begin : lines.back().size() - size;
      if (cut > 0) {
        std::string tail = lines.back().substr(cut);
        lines.back().resize(cut);
        lines.push_back(std::move(tail));
        word_begin = 0;
      }
    }
    word_begin = rest[0] == ' ' ? lines.back().size() : word_begin;
    rest.remove_prefix(size);
  }
  return lines;
}

}  // namespace attn::present
