#include "present/screen.hpp"

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>

#include <unistd.h>

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

namespace attn::present {
namespace {

constexpr int escape_delay = 25;  // milliseconds to wait for the rest of an arrow key's sequence

std::string terminal_name() {
  const char* const term = std::getenv("TERM");
  return term == nullptr ? "" : term;
}

[[noreturn]] void refuse(const std::string& name) {
  throw NoTerminal("--step cannot place the cursor on the terminal TERM='" +
                   render::printable(name, render::Terminal{}) +
                   "'; TERM must be a terminal that terminfo knows; try TERM=xterm, or without --step");
}

/// Uses UTF-8 if the environment asks for it, even if its locale is not installed.
void set_characters() {
  const bool is_set = std::setlocale(LC_CTYPE, "") != nullptr;
  if (render::detect_terminal(STDOUT_FILENO).unicode && (!is_set || MB_CUR_MAX == 1)) {
    std::setlocale(LC_CTYPE, "C.UTF-8");
  }
}

/// Gives the terminal back before a signal ends the process.
void end(int signal) {
  endwin();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// Starts ncurses. A terminal that terminfo lacks uses the name of its family: "xterm" for "xterm-ghostty".
void start() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    std::signal(signal, end) == SIG_IGN ? std::signal(signal, SIG_IGN) : nullptr;
  }
  const std::string name = terminal_name();
  for (std::size_t size = name.size(); size != std::string::npos && size > 0; size = name.rfind('-', size - 1)) {
    if (newterm(name.substr(0, size).c_str(), stdout, stdin) != nullptr) {
      return;
    }
  }
  refuse(name);
}

/// One of xterm's 256 colours, the most that a Screen's terminal has; -1: the terminal's own.
int xterm_of(const text::Colour& colour) {
  const int* index = std::get_if<int>(&colour);
  return index == nullptr ? -1 : *index;
}

Key named_key(wint_t code) {
  switch (code) {
    case KEY_ENTER: return keys::enter;
    case KEY_BACKSPACE:
    case KEY_DC: return keys::backspace;
    case KEY_UP: return keys::up;
    case KEY_DOWN: return keys::down;
    case KEY_LEFT: return keys::left;
    case KEY_RIGHT: return keys::right;
    case KEY_PPAGE: return keys::page_up;
    case KEY_NPAGE: return keys::page_down;
    case KEY_HOME: return keys::home;
    case KEY_END: return keys::end;
    case KEY_RESIZE: wclear(stdscr); return keys::resize;
    default: return keys::other;
  }
}

}  // namespace

void require_terminal() {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    const bool input = isatty(STDIN_FILENO) == 0;
    throw NoTerminal(std::string("--step needs an interactive terminal; standard ") + (input ? "input" : "output") +
                     " is not one; try the same without --step");
  }
  const std::string name = terminal_name();
  if (name.empty() || name == "dumb") {
    refuse(name);
  }
}

Screen::Screen(render::Colours colours) : colours_(colours) {
  require_terminal();
  set_characters();
  start();
  cbreak();
  noecho();
  keypad(stdscr, TRUE);
  set_escdelay(escape_delay);
  if (has_colors() && start_color() == OK) {
    use_default_colors();
    has_colours_ = COLORS >= 256;
  }
}

Screen::~Screen() { endwin(); }

std::int64_t Screen::rows() const { return LINES; }

std::int64_t Screen::columns() const { return COLS; }

render::Terminal Screen::terminal() const {
  render::Terminal terminal = render::detect_terminal(STDOUT_FILENO, colours_);
  using Colour = render::Terminal::Colour;
  terminal.colour = has_colours_ && terminal.colour != Colour::none ? Colour::ansi256 : Colour::none;
  terminal.width = columns();
  terminal.unicode = terminal.unicode && MB_CUR_MAX > 1;
  return terminal;
}

void Screen::draw(std::span<const text::StyledLine> lines, std::optional<std::int64_t> cursor) {
  werase(stdscr);
  const std::int64_t shown = std::min(rows(), static_cast<std::int64_t>(lines.size()));
  for (std::int64_t row = 0; row < shown; ++row) {
    draw_line(static_cast<int>(row), lines[static_cast<std::size_t>(row)]);
  }
  curs_set(cursor ? 1 : 0);
  wmove(stdscr, LINES - 1, static_cast<int>(std::clamp<std::int64_t>(cursor.value_or(COLS - 1), 0, COLS - 1)));
  wrefresh(stdscr);
}

void Screen::draw_line(int row, const text::StyledLine& line) {
  const render::Terminal shown = terminal();
  wmove(stdscr, row, 0);
  for (const text::Run& run : text::sliced(line, 0, COLS)) {
    const text::Style& style = run.style;
    const attr_t attributes = (style.bold ? A_BOLD : A_NORMAL) | (style.reverse ? A_REVERSE : A_NORMAL);
    int pair = has_colours_ ? std::max(alloc_pair(xterm_of(style.foreground), xterm_of(style.background)), 0) : 0;
    wattr_set(stdscr, attributes, static_cast<short>(pair), &pair);
    waddstr(stdscr, render::printable(run.text, shown).c_str());
  }
  wattr_set(stdscr, A_NORMAL, 0, nullptr);
}

Key Screen::wait_for_key() {
  wint_t code = 0;
  switch (wget_wch(stdscr, &code)) {
    case KEY_CODE_YES: return named_key(code);
    case OK: break;
    default: return keys::closed;
  }
  switch (code) {
    case '\r': return keys::enter;
    case '\b': return keys::backspace;
    default: return static_cast<Key>(code);
  }
}

}  // namespace attn::present
