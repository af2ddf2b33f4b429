#include "present/screen.hpp"

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <variant>

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "present/rescue.hpp"
#include "present/terminfo.hpp"

namespace attn::present {
namespace {

constexpr int escape_delay = 25;  // milliseconds to wait for the rest of an arrow key's sequence

/// The terminal's name in terminfo. An unknown terminal uses the name of its family: "xterm" for "xterm-ghostty".
std::string usable_name() {
  const char* const term = std::getenv("TERM");
  const std::string name = term == nullptr ? "" : term;
  for (std::size_t size = name.size(); size != std::string::npos && size > 0; size = name.rfind('-', size - 1)) {
    if (can_place_cursor(name.substr(0, size))) {
      return name.substr(0, size);
    }
  }
  throw NoTerminal("--step cannot place the cursor on the terminal TERM='" +
                   render::printable(name, render::Terminal{}) + "'; TERM must be a terminal that terminfo knows; " +
                   advice(name, can_place_cursor));
}

/// Uses UTF-8 if the environment asks for it, even if its locale is not installed.
void set_characters() {
  const bool unicode = render::detect_terminal(STDOUT_FILENO).unicode;
  for (const char* locale : {"", "C.UTF-8", "C.utf8", "en_US.UTF-8"}) {
    if (std::setlocale(LC_CTYPE, locale) != nullptr && (!unicode || MB_CUR_MAX > 1)) {
      return;
    }
  }
}

/// The sequences that leave the screen: colours, keypad, cursor and main screen as before.
std::string farewell_text() {
  std::string text = capability("sgr0") + capability("rmkx");
  const std::string place = capability("cup");
  if (!place.empty()) {
    text += tiparm(place.c_str(), LINES - 1, 0);
  }
  text += capability("rmcup") + capability("cnorm");
  if (capability("rmcup").empty()) {
    text += "\r\n";
  }
  return text;
}

TerminalState state_before() {
  TerminalState state;
  tcgetattr(STDIN_FILENO, &state.modes);
  return state;
}

/// One of xterm's 256 colours, the most that a Screen's terminal has; -1: the terminal's own.
int xterm_of(const text::Colour& colour) {
  const int* index = std::get_if<int>(&colour);
  return index == nullptr ? -1 : *index;
}

Key key_of(int code) {
  using enum Key::Kind;
  struct Named {
    int code;
    Key::Kind kind;
  };
  static constexpr std::array<Named, 12> named = {Named{KEY_ENTER, enter},     Named{KEY_BACKSPACE, backspace},
                                                  Named{KEY_DC, backspace},    Named{KEY_UP, up},
                                                  Named{KEY_DOWN, down},       Named{KEY_LEFT, left},
                                                  Named{KEY_RIGHT, right},     Named{KEY_PPAGE, page_up},
                                                  Named{KEY_NPAGE, page_down}, Named{KEY_HOME, home},
                                                  Named{KEY_END, end},         Named{KEY_RESIZE, resize}};
  const auto* const found =
      std::find_if(named.begin(), named.end(), [code](const Named& candidate) { return candidate.code == code; });
  return {found == named.end() ? other : found->kind, 0};
}

Key key_of_character(wint_t character) {
  switch (character) {
    case L'\r':
    case L'\n': return {Key::Kind::enter, 0};
    case 27: return {Key::Kind::escape, 0};
    case 9: return {Key::Kind::tab, 0};
    case 8:
    case 127: return {Key::Kind::backspace, 0};
    default: break;
  }
  return character < 32 ? Key{} : Key{Key::Kind::character, static_cast<char32_t>(character)};
}

/// ncurses counts in shorts and keeps every cell, so only part of a terminal larger than any real one is used.
constexpr unsigned short most_rows = 1000;
constexpr unsigned short most_columns = 4000;

std::optional<winsize> window_size() {
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
  return is_known ? std::optional(size) : std::nullopt;
}

bool is_too_large(const winsize& size) { return size.ws_row > most_rows || size.ws_col > most_columns; }

/// Resizes ncurses' window to the size that the terminal reports.
void fit_window() {
  if (const std::optional<winsize> size = window_size()) {
    resizeterm(std::min(size->ws_row, most_rows), std::min(size->ws_col, most_columns));
  }
}

}  // namespace

void require_terminal() {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    const bool input = isatty(STDIN_FILENO) == 0;
    throw NoTerminal(std::string("--step needs an interactive terminal; standard ") + (input ? "input" : "output") +
                     " is not one; try the same without --step");
  }
  usable_name();
}

/// ncurses' own state, ended even if the rest of a Screen cannot be constructed.
struct Screen::State {
  struct Curses {
    SCREEN* screen;
    explicit Curses(SCREEN* made) : screen(made) {}
    Curses(const Curses&) = delete;
    Curses& operator=(const Curses&) = delete;
    ~Curses() {
      if (!isendwin()) {
        endwin();
      }
      delscreen(screen);
    }
  };

  static SCREEN* start() {
    require_terminal();
    set_characters();
    use_env(FALSE);
    const std::optional<winsize> size = window_size();
    use_tioctl(size && is_too_large(*size) ? FALSE : TRUE);
    const std::string name = usable_name();
    SCREEN* screen = newterm(name.c_str(), stdout, stdin);
    if (screen == nullptr) {
      throw NoTerminal("--step cannot use the terminal '" + name +
                       "'; use a terminal such as xterm; try without --step");
    }
    return screen;
  }

  TerminalState terminal = state_before();
  Curses curses{start()};
  std::optional<Rescue> rescue;
  bool colours = false;
};

Screen::Screen(render::Colours colours) : state_(std::make_unique<State>()), colours_(colours) {
  state_->terminal.farewell = farewell_text();
  state_->rescue.emplace(state_->terminal);
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  fit_window();
  set_escdelay(escape_delay);
  if (has_colors() && start_color() == OK) {
    use_default_colors();
    state_->colours = COLORS >= 256;
  }
}

/// The rescue ends only after the terminal is restored; a signal in between restores it twice, which is harmless.
Screen::~Screen() { endwin(); }

std::int64_t Screen::rows() const { return LINES; }

std::int64_t Screen::columns() const { return COLS; }

render::Terminal Screen::terminal() const {
  render::Terminal terminal = render::detect_terminal(STDOUT_FILENO, colours_);
  using Colour = render::Terminal::Colour;
  terminal.colour = state_->colours && terminal.colour != Colour::none ? Colour::ansi256 : Colour::none;
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
    int pair = state_->colours ? std::max(alloc_pair(xterm_of(style.foreground), xterm_of(style.background)), 0) : 0;
    wattr_set(stdscr, attributes, static_cast<short>(pair), &pair);
    waddstr(stdscr, render::printable(run.text, shown).c_str());
  }
  wattr_set(stdscr, A_NORMAL, 0, nullptr);
}

void Screen::resize() {
  fit_window();
  wclear(stdscr);
}

void Screen::pause() {
  curs_set(1);
  endwin();
  state_->rescue->pause();
  reset_prog_mode();
  resize();
}

std::optional<Key> Screen::next_key() {
  wint_t code = 0;
  switch (wget_wch(stdscr, &code)) {
    case KEY_CODE_YES: return key_of(static_cast<int>(code));
    case OK: return key_of_character(code);
    default: return std::nullopt;
  }
}

Key Screen::wait_for_key(std::optional<std::chrono::steady_clock::time_point> deadline) {
  for (int silent = 0;;) {
    switch (state_->rescue->wanted()) {
      case Rescue::Wanted::pause: pause(); return {Key::Kind::resumed, 0};
      case Rescue::Wanted::redraw:
        reset_prog_mode();
        resize();
        return {Key::Kind::resumed, 0};
      case Rescue::Wanted::resize: resize(); return {Key::Kind::resize, 0};
      case Rescue::Wanted::nothing: break;
    }
    if (const std::optional<Key> key = next_key()) {
      return *key;
    }
    constexpr int enough = 100;  // readable but without data: the terminal is gone
    if (silent >= enough) {
      return {Key::Kind::closed, 0};
    }
    if (deadline && std::chrono::steady_clock::now() >= *deadline) {
      return {Key::Kind::timeout, 0};
    }
    silent = state_->rescue->wait(deadline) ? silent + 1 : 0;
  }
}

}  // namespace attn::present
