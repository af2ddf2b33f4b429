#pragma once

#include <csignal>
#include <cstdio>
#include <optional>
#include <string>

namespace attn::system {

/// The pager for long output on a terminal, a command for sh, chosen as git does: $PAGER, else less. Empty if $PAGER is
/// empty or "cat", or if $PAGER is unset and the terminal cannot move its cursor.
std::optional<std::string> pager_command();

/// A process that shows its input on the terminal. While it runs, Ctrl-C is left to it.
class Pager {
 public:
  /// Starts the command. Sets LESS to FRX and LV to -c if they are unset.
  explicit Pager(const std::string& command);
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  ~Pager() { finish(); }

  bool is_started() const { return pipe_ != nullptr; }
  /// The descriptor that it reads from.
  int input() const { return fileno(pipe_); }
  /// Closes its input and waits until it ends. Returns false if there was no such command.
  bool finish();

 private:
  std::FILE* pipe_ = nullptr;
};

/// From here on, a signal that ends the process first removes what is unfinished (beside.hpp). A signal that the
/// process was started to ignore stays ignored.
void watch_signals();

/// While a pager runs, Ctrl-C is left to it.
void leave_keys_to_pager(bool is_paged);

/// Makes a failing write return an error instead of raising a signal: the pipe has no reader, or the file has reached
/// its size limit.
void let_writes_fail();

}  // namespace attn::system
