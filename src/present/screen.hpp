#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "picture/terminal.hpp"
#include "text/styled.hpp"

namespace attn::present {

/// No usable terminal: what is wrong; what is accepted; what to do.
struct NoTerminal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws NoTerminal if standard input or output is not a terminal, or if the terminal cannot place its cursor.
void require_terminal();

struct Key {
  enum class Kind {
    character,
    enter,
    escape,
    backspace,
    tab,
    up,
    down,
    left,
    right,
    page_up,
    page_down,
    home,
    end,
    resize,
    resumed,
    timeout,
    closed,
    other
  };

  Kind kind = Kind::other;
  char32_t character = 0;

  bool is(char32_t wanted) const { return kind == Kind::character && character == wanted; }
};

/// The whole terminal, restored at the end of scope or when a signal ends the process. One instance at a time.
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
  /// The next key; resize if the screen must be redrawn, resumed if so after a stop, timeout if the deadline passes
  /// first.
  Key wait_for_key(std::optional<std::chrono::steady_clock::time_point> deadline = {});

 private:
  struct State;

  void draw_line(int row, const text::StyledLine& line);
  void resize();
  void pause();
  std::optional<Key> next_key();

  std::unique_ptr<State> state_;
  render::Colours colours_;
};

}  // namespace attn::present
