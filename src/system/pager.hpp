#pragma once

#include <csignal>
#include <optional>
#include <string>

#include "system/descriptor.hpp"

namespace attn::system {

/// What long output is read with on a terminal, in git's manner: $PAGER, else less. Nothing where $PAGER is empty or
/// "cat", and where $PAGER is not set and the terminal cannot move its cursor.
std::optional<std::string> pager_command();

/// A process that shows on the terminal what is written to it. While it runs, Ctrl-C is its own affair, and what ends
/// this process waits until the reader is done, so that the terminal is left in order.
class Pager {
 public:
  /// Starts the command; one of several words by sh. LESS is FRX and LV is -c for it where they are not set.
  explicit Pager(const std::string& command);
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  ~Pager();

  /// Whether it could be started, as far as is known: sh says so only at its end.
  bool is_started() const { return is_started_; }
  /// Where it reads from.
  int input() const { return input_.number(); }
  /// Lets it read to the end, and waits until the reader is done. Whether it had been started at all.
  bool finish();

 private:
  void spawn(const std::string& command, int output, const sigset_t& mask);

  Descriptor input_;
  bool is_started_ = false;
};

}  // namespace attn::system
