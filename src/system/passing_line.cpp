#include "system/passing_line.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string_view>

#include <unistd.h>

#include "system/signals.hpp"
#include "system/unfinished.hpp"

namespace attn::system {
namespace {

volatile std::sig_atomic_t shown = 0;  ///< width of the line in columns

void write_to_terminal(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return;  // an error cannot be reported here
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
}

}  // namespace

void PassingLine::erase() {
  constexpr std::string_view blanks = "                                ";
  const int before = errno;
  if (shown > 0) {
    write_to_terminal("\r");
    for (std::size_t left = static_cast<std::size_t>(shown); left > 0; left -= std::min(left, blanks.size())) {
      write_to_terminal(blanks.substr(0, left));
    }
    write_to_terminal("\r");
    shown = 0;
  }
  errno = before;
}

PassingLine::~PassingLine() {
  const HeldSignals held;
  erase();
}

void PassingLine::show(std::string text) {
  constexpr std::size_t echo = 2;  // columns that a terminal may append for ^C
  const HeldSignals held = Unfinished::hold_signals();
  const std::size_t columns = std::max(text.size() + echo, static_cast<std::size_t>(shown));
  shown = static_cast<std::sig_atomic_t>(columns);
  text.append(columns - text.size(), ' ');
  write_to_terminal('\r' + text + std::string(echo, '\b'));
}

}  // namespace attn::system
