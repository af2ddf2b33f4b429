#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>

#include <termios.h>

namespace attn::present {

/// What returns a terminal to the shell: its previous modes, and the sequences that leave the presenter's screen.
struct TerminalState {
  termios modes{};
  std::string farewell;
};

/// While it lives, a signal that ends the process first restores the terminal, and other signals (resize, stop,
/// continue) are queued for wanted(). One instance at a time.
class Rescue {
 public:
  enum class Wanted { nothing, resize, pause, redraw };

  explicit Rescue(const TerminalState& state);
  Rescue(const Rescue&) = delete;
  Rescue& operator=(const Rescue&) = delete;
  ~Rescue();

  /// Returns a request that signals have made since the last call, one per call.
  Wanted wanted();
  /// Waits until standard input is readable (then true), a signal makes a request, or the deadline passes.
  bool wait(std::optional<std::chrono::steady_clock::time_point> deadline) const;
  /// Stops the process as Ctrl-Z does, with the terminal already restored; returns when the process continues.
  void pause();

 private:
  static constexpr std::array<int, 3> asking = {SIGWINCH, SIGTSTP, SIGCONT};

  std::array<struct sigaction, NSIG> before_{};  ///< the previous action of each signal
};

}  // namespace attn::present
