#pragma once

#include <csignal>
#include <optional>
#include <string>

#include "system/descriptor.hpp"

namespace attn::system {

/// The pager for long output on a terminal, chosen as git does: $PAGER, else less. Empty if $PAGER is empty or "cat",
/// or if $PAGER is unset and the terminal cannot move its cursor.
std::optional<std::string> pager_command();

/// A process that shows its input on the terminal. While it runs, Ctrl-C is left to it, and a signal that ends this
/// process waits until the pager has ended, so the terminal is left in order.
class Pager {
 public:
  /// Starts the command, through sh if it has several words. Sets LESS to FRX and LV to -c if they are unset.
  explicit Pager(const std::string& command);
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  ~Pager();

  /// Returns true if the command was started, as far as is known: sh reports a failure only at its end.
  bool is_started() const { return is_started_; }
  /// The descriptor that it reads from.
  int input() const { return input_.number(); }
  /// Closes its input and waits until it ends. Returns true if it had been started at all.
  bool finish();

 private:
  void spawn(const std::string& command, int output, const sigset_t& mask);

  Descriptor input_;
  bool is_started_ = false;
};

}  // namespace attn::system
