#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace attn::render {

/// What the text's destination can display.
struct Terminal {
  enum class Colour { none, ansi256, truecolour };

  Colour colour = Colour::none;
  std::int64_t width = 80;  ///< in display columns
  bool unicode = false;
};

/// When text is coloured.
enum class Colours {
  automatic,  ///< on a terminal, unless NO_COLOR is set
  always,     ///< regardless of the environment
  never,
};

/// Looks up an environment variable as std::getenv does; null if it is unset.
using Environment = std::function<const char*(const char*)>;

/// Describes a terminal from the environment.
/// `is_terminal`: false for files and pipes, which get no colour.
/// `reported_width`: the width that the terminal reports, 0 if it reports none; COLUMNS overrides it.
/// NO_COLOR: https://no-color.org; COLORTERM: https://github.com/termstandard/colors.
Terminal terminal_from(const Environment& environment, bool is_terminal, std::int64_t reported_width,
                       Colours colours = Colours::automatic);

/// Describes the terminal behind a file descriptor.
Terminal detect_terminal(int fd, Colours colours = Colours::automatic);

/// Describes a file, which gets colours only on request.
Terminal file_terminal(Colours colours);

/// Returns the text as one line that this terminal can display: "?" replaces control characters, bytes that are not
/// UTF-8 and, without Unicode, everything beyond ASCII.
std::string printable(std::string_view text, const Terminal& terminal);

/// Shortens printable text to at most this many columns; cut text ends in an ellipsis ("~" without Unicode).
std::string cut_to(std::string_view text, std::int64_t columns, const Terminal& terminal);

}  // namespace attn::render
