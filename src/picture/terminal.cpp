#include "picture/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace attn::render {
namespace {

using Colour = Terminal::Colour;

std::string variable(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? "" : value;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Colour colour_from(const Environment& environment, bool is_terminal, Colours colours) {
  const std::string term = variable(environment, "TERM");
  const std::string colour_term = variable(environment, "COLORTERM");
  const bool has_none = !is_terminal || !variable(environment, "NO_COLOR").empty() || term.empty() || term == "dumb" ||
                        term.starts_with("vt");
  if (colours == Colours::never || (colours == Colours::automatic && has_none)) {
    return Colour::none;
  }
  const bool says_24_bit = colour_term == "truecolor" || colour_term == "24bit" || contains(term, "-direct");
  return says_24_bit ? Colour::truecolour : Colour::ansi256;
}

/// POSIX: LC_ALL precedes LC_CTYPE, which precedes LANG; empty variables do not count.
bool unicode_from(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = text::lower(variable(environment, name));
    if (!locale.empty()) {
      return contains(locale, "utf-8") || contains(locale, "utf8");
    }
  }
  return false;
}

/// Returns true for line and paragraph separators, the soft hyphen, and marks that change the direction of writing.
bool is_invisible(char32_t code) {
  return code == 0xad || (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2061 && code <= 0x206f);
}

}  // namespace

Terminal terminal_from(const Environment& environment, bool is_terminal, std::int64_t reported_width, Colours colours) {
  const auto asked_for = text::number_of<std::int64_t>(variable(environment, "COLUMNS")).value_or(0);
  return {.colour = colour_from(environment, is_terminal, colours),
          .width = asked_for > 0        ? asked_for
                   : reported_width > 0 ? reported_width
                                        : Terminal().width,
          .unicode = unicode_from(environment)};
}

Terminal detect_terminal(int fd, Colours colours) {
  winsize size{};
  const bool known = ioctl(fd, TIOCGWINSZ, &size) == 0;
  return terminal_from(std::getenv, isatty(fd) == 1, known ? size.ws_col : 0, colours);
}

Terminal file_terminal(Colours colours) { return {.colour = colour_from(std::getenv, false, colours)}; }

std::string printable(std::string_view text, const Terminal& terminal) {
  std::string shown;
  while (!text.empty()) {
    const auto [code, size, valid] = text::first_character(text);
    const bool keep = valid && !text::is_control(code) && !is_invisible(code) && (code < 0x80 || terminal.unicode);
    shown += keep ? text.substr(0, size) : "?";
    text.remove_prefix(size);
  }
  return shown;
}

std::string cut_to(std::string_view text, std::int64_t columns, const Terminal& terminal) {
  if (text::display_columns(text) <= columns) {
    return std::string(text);
  }
  if (columns <= 0) {
    return "";
  }
  return std::string(text::beginning(text, columns - 1)) + (terminal.unicode ? "…" : "~");
}

}  // namespace attn::render
