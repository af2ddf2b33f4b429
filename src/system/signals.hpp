#pragma once

#include <csignal>

namespace attn::system {

/// Returns true if the signal ends a process by default and can be handled: not SIGKILL, and not signals that stop a
/// process or inform it.
bool ends_process(int signal);

/// Handles a signal, with all others blocked meanwhile. A signal that the process was started to ignore stays ignored.
/// Returns the previous action.
struct sigaction handle(int signal, void (*handler)(int));

/// For the start of a handler that must not run while signals are blocked: a thread of OpenBLAS's, which blocks none,
/// passes its signal on to the main thread. Returns true if it did; the handler then has nothing to do.
bool passed_to_main_thread(int signal);

/// Blocks the main thread's signals while it lives.
class HeldSignals {
 public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

  /// The signals that were blocked before.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

/// Makes a failing write return an error instead of raising a signal: the pipe has no reader, or the file has reached
/// its size limit.
void let_writes_fail();

}  // namespace attn::system
