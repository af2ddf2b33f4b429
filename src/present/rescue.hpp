#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>

#include <termios.h>

namespace attn::present {

/// What gives a terminal back to the shell: the modes that it had, and the texts that leave the presenter's screen.
struct TerminalState {
  termios modes{};
  std::string farewell;
};

/// While it lives, a signal that ends the process first gives the terminal back, and the signals that only want
/// something (another size, a pause, a new start) are kept for wanted(). One at a time.
class Rescue {
 public:
  enum class Wanted { nothing, resize, pause, redraw };

  explicit Rescue(const TerminalState& state);
  Rescue(const Rescue&) = delete;
  Rescue& operator=(const Rescue&) = delete;
  ~Rescue();

  /// What signals have asked for since the last call, one at a time.
  Wanted wanted();
  /// Waits until standard input has something to read (then true), a signal wants something, or the deadline is there.
  bool wait(std::optional<std::chrono::steady_clock::time_point> deadline) const;
  /// Stops the process as Ctrl-Z does, with the terminal given back already; returns when it goes on.
  void pause();

 private:
  static constexpr std::array<int, 3> asking = {SIGWINCH, SIGTSTP, SIGCONT};

  std::array<struct sigaction, NSIG> before_{};  ///< what was done at each signal
};

}  // namespace attn::present
