#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Text with SGR sequences ("\x1b[1m"), taken apart.
namespace attn::present {

struct Style {
  int foreground = -1;  ///< one of xterm's 256 colours; -1 the terminal's own
  int background = -1;
  bool bold = false;
  bool underline = false;
  bool reverse = false;

  friend bool operator==(const Style&, const Style&) = default;
};

/// Characters in one style.
struct Run {
  std::string text;
  Style style;
};

/// A line's runs. 24-bit colours become the nearest of 256; other escape sequences are dropped.
std::vector<Run> runs_of(std::string_view line);

/// The display columns [from, from + width) of a line. Wide characters that are cut become spaces.
std::vector<Run> sliced(const std::vector<Run>& line, std::int64_t from, std::int64_t width);

/// The run with its style as SGR sequences, and the plain style after it.
std::string sgr(const Run& run);

/// The display columns of a line, sequences aside.
std::int64_t columns_of(std::string_view line);

std::string bold(const std::string& text);
std::string reversed(const std::string& text);

/// The text with its parts [offset, offset + size), in order, in reverse; parts do not go over line ends.
std::string marked(std::string_view text, const std::vector<std::pair<std::size_t, std::size_t>>& parts);

std::vector<std::string> lines_of(std::string_view text);

/// Lines of at most `width` columns, broken at spaces; what has none is broken anywhere.
std::vector<std::string> wrapped(const std::string& line, std::int64_t width);

}  // namespace attn::present
