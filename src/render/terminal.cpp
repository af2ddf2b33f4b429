#include "render/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <system_error>

namespace attn::render {
namespace {

using Colour = Terminal::Colour;

constexpr std::int64_t default_width = 80;

std::string variable(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? "" : value;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Colour colour_from(const Environment& environment) {
  const std::string term = variable(environment, "TERM");
  const std::string colour_term = variable(environment, "COLORTERM");
  if (!variable(environment, "NO_COLOR").empty() || term.empty() || term == "dumb" || term.starts_with("vt")) {
    return Colour::none;
  }
  const bool says_24_bit = colour_term == "truecolor" || colour_term == "24bit" || contains(term, "-direct");
  return says_24_bit ? Colour::truecolour : Colour::ansi256;
}

/// A positive number of columns, or 0.
std::int64_t columns_from(const std::string& text) {
  std::int64_t columns = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, columns);
  return error == std::errc{} && stop == end ? std::max<std::int64_t>(columns, 0) : 0;
}

/// POSIX: LC_ALL goes before LC_CTYPE, and that before LANG; empty ones do not count.
bool unicode_from(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = variable(environment, name);
    if (!locale.empty()) {
      std::transform(locale.begin(), locale.end(), locale.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      return contains(locale, "utf-8") || contains(locale, "utf8");
    }
  }
  return false;
}

// ---- Characters --------------------------------------------------------------------------------

struct Character {
  char32_t code;
  std::size_t size;  ///< in bytes
};

constexpr char32_t no_character = 0xffffffff;

std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) {
    return 1;
  }
  if (first < 0xc2 || first > 0xf4) {
    return 0;
  }
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

/// The first character of a text that is not empty; no_character, one byte long, where there is none.
Character first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = sequence_length(first);
  if (length == 1) {
    return {first, 1};
  }
  if (length == 0 || length > text.size()) {
    return {no_character, 1};
  }
  char32_t code = first & (0x7fU >> length);
  for (const char byte : text.substr(1, length - 1)) {
    const auto next = static_cast<unsigned char>(byte);
    if ((next & 0xc0U) != 0x80U) {
      return {no_character, 1};
    }
    code = (code << 6U) | (next & 0x3fU);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < smallest[length] || code > 0x10ffff || surrogate ? Character{no_character, 1} : Character{code, length};
}

struct Range {
  char32_t first;
  char32_t last;
};

/// Combining marks, joiners and variation selectors (Unicode's general categories Mn, Me, Cf), the common blocks.
constexpr Range zero_width[] = {{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
                                {0x064b, 0x065f}, {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948},
                                {0x094d, 0x094d}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
                                {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x2060, 0x2060},
                                {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
                                {0xe0100, 0xe01ef}};

/// East Asian Width W and F (Unicode's EastAsianWidth.txt), to whole blocks.
constexpr Range double_width[] = {{0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x2614, 0x2615},
                                  {0x2648, 0x2653},   {0x26a1, 0x26a1},   {0x26bd, 0x26be},   {0x2705, 0x2705},
                                  {0x270a, 0x270b},   {0x2728, 0x2728},   {0x274c, 0x274c},   {0x2753, 0x2757},
                                  {0x2795, 0x2797},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
                                  {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
                                  {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff},
                                  {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a},
                                  {0x1f1e6, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1f9ff},
                                  {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

template <std::size_t size>
bool is_in(char32_t code, const Range (&ranges)[size]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [code](const Range& range) { return code >= range.first && code <= range.last; });
}

std::int64_t columns_of(char32_t code) {
  if (code < 0x300) {
    return 1;
  }
  return is_in(code, zero_width) ? 0 : is_in(code, double_width) ? 2 : 1;
}

/// C0 and C1 controls, line and paragraph separators, and marks that turn the direction of writing.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || (code >= 0x200e && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2061 && code <= 0x206f);
}

}  // namespace

Terminal terminal_from(const Environment& environment, bool is_terminal, std::int64_t reported_width) {
  Terminal terminal;
  terminal.colour = is_terminal ? colour_from(environment) : Colour::none;
  const std::int64_t asked_for = columns_from(variable(environment, "COLUMNS"));
  terminal.width = asked_for > 0 ? asked_for : reported_width > 0 ? reported_width : default_width;
  terminal.unicode = unicode_from(environment);
  return terminal;
}

Terminal detect_terminal(int fd) {
  winsize size{};
  const bool known = ioctl(fd, TIOCGWINSZ, &size) == 0;
  return terminal_from([](const char* name) { return std::getenv(name); }, isatty(fd) == 1, known ? size.ws_col : 0);
}

std::int64_t display_columns(std::string_view text) {
  std::int64_t columns = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    columns += columns_of(character.code);
    text.remove_prefix(character.size);
  }
  return columns;
}

std::string printable(std::string_view text, const Terminal& terminal) {
  std::string shown;
  while (!text.empty()) {
    const auto [code, size] = first_character(text);
    const bool keep = code != no_character && !is_control(code) && (code < 0x80 || terminal.unicode);
    shown += keep ? text.substr(0, size) : "?";
    text.remove_prefix(size);
  }
  return shown;
}

std::string cut_to(std::string_view text, std::int64_t columns, const Terminal& terminal) {
  if (display_columns(text) <= columns) {
    return std::string(text);
  }
  if (columns <= 0) {
    return "";
  }
  std::string kept;
  std::int64_t room = columns - 1;  // the ellipsis takes one
  while (!text.empty()) {
    const Character character = first_character(text);
    room -= columns_of(character.code);
    if (room < 0) {
      break;
    }
    kept += text.substr(0, character.size);
    text.remove_prefix(character.size);
  }
  return kept + (terminal.unicode ? "…" : "~");
}

}  // namespace attn::render
