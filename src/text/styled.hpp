#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Text with colours and emphasis, independent of the output format.
namespace attn::text {

/// An sRGB colour.
struct Rgb {
  std::uint8_t red;
  std::uint8_t green;
  std::uint8_t blue;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// The terminal's own colour, one of xterm's 256, or any.
using Colour = std::variant<std::monostate, int, Rgb>;

struct Style {
  Colour foreground = {};
  Colour background = {};
  bool bold = false;
  bool reverse = false;

  bool is_plain() const { return *this == Style{}; }
  friend bool operator==(const Style&, const Style&) = default;
};

/// Characters in one style.
struct Run {
  std::string text;
  Style style = {};
};

using StyledLine = std::vector<Run>;

/// Appends text; extends the last run if it has the same style.
void append(StyledLine& line, std::string_view text, const Style& style = {});

/// The line without trailing plain spaces.
StyledLine without_blank_end(StyledLine line);

std::string plain_text(const StyledLine& line);
std::int64_t display_columns(const StyledLine& line);

/// The display columns [from, from + width) of a line. Wide characters that are cut become spaces.
StyledLine sliced(const StyledLine& line, std::int64_t from, std::int64_t width);

/// The lines of a text in one style.
std::vector<StyledLine> styled_lines(std::string_view text, const Style& style = {});

/// The line with escape codes: Select Graphic Rendition (ECMA-48 8.3.117), with xterm's 38;5, 48;5, 38;2 and 48;2.
/// Each styled run begins with its codes, and the line ends in plain style.
std::string with_escapes(const StyledLine& line);

}  // namespace attn::text
