#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace attn::render {

/// What the place where text goes can show.
struct Terminal {
  enum class Colour { none, ansi256, truecolour };

  Colour colour = Colour::none;
  std::int64_t width = 80;  ///< in display columns
  bool unicode = false;
};

/// When text gets colours.
enum class Colours {
  automatic,  ///< on a terminal, unless NO_COLOR is set
  always,     ///< whatever the environment says
  never,
};

/// Looks up an environment variable as std::getenv does: null where it is not set.
using Environment = std::function<const char*(const char*)>;

/// What the environment says of a terminal. `is_terminal`: false for files and pipes, which get no colour.
/// `reported_width`: what the terminal itself says, 0 where it says nothing; COLUMNS overrules it.
/// NO_COLOR: https://no-color.org; COLORTERM: https://github.com/termstandard/colors.
Terminal terminal_from(const Environment& environment, bool is_terminal, std::int64_t reported_width,
                       Colours colours = Colours::automatic);

/// The terminal behind a file descriptor.
Terminal detect_terminal(int fd, Colours colours = Colours::automatic);

/// A file, which gets colours only where they are asked for.
Terminal file_terminal(Colours colours);

/// The text as one line that this terminal can show: "?" for control characters, for bytes that are no UTF-8 and,
/// without Unicode, for everything beyond ASCII.
std::string printable(std::string_view text, const Terminal& terminal);

/// A printable text that takes at most this many columns; one that is cut ends in an ellipsis ("~" without Unicode).
std::string cut_to(std::string_view text, std::int64_t columns, const Terminal& terminal);

}  // namespace attn::render
