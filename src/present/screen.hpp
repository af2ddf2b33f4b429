#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>

#include "picture/terminal.hpp"
#include "text/styled.hpp"

namespace attn::present {

/// No usable terminal: what is wrong; what is accepted; what to do.
struct NoTerminal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws NoTerminal if standard input or output is not a terminal, or TERM says that it cannot place its cursor.
void require_terminal();

/// A character, or one of `keys`.
using Key = char32_t;

namespace keys {

constexpr Key tab = U'\t';
constexpr Key enter = U'\n';
constexpr Key escape = 27;
constexpr Key backspace = 127;
constexpr Key first_named = 0x110000;  ///< beyond all characters
constexpr Key up = first_named;
constexpr Key down = first_named + 1;
constexpr Key left = first_named + 2;
constexpr Key right = first_named + 3;
constexpr Key page_up = first_named + 4;
constexpr Key page_down = first_named + 5;
constexpr Key home = first_named + 6;
constexpr Key end = first_named + 7;
constexpr Key resize = first_named + 8;  ///< the screen has another size
constexpr Key closed = first_named + 9;  ///< the terminal has gone away
constexpr Key other = first_named + 10;

}  // namespace keys

/// The whole terminal, restored at the end of scope, before a signal ends the process, and while Ctrl-Z stops it. One
/// instance at a time.
class Screen {
 public:
  /// Throws NoTerminal.
  explicit Screen(render::Colours colours);
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  std::int64_t rows() const;
  std::int64_t columns() const;
  /// The capabilities of this screen: at most 256 colours.
  render::Terminal terminal() const;

  /// Shows these lines, cut to the screen. The cursor is in column `cursor` of the last row, or hidden.
  void draw(std::span<const text::StyledLine> lines, std::optional<std::int64_t> cursor = {});
  Key wait_for_key();

 private:
  void draw_line(int row, const text::StyledLine& line);

  render::Colours colours_;
  bool has_colours_ = false;
};

}  // namespace attn::present
