#pragma once

#include <csignal>

namespace attn::system {

/// Whether a signal ends a process that asked for nothing else, and can be handled: neither SIGKILL, nor those that
/// stop a process or tell it something.
bool ends_process(int signal);

/// Handles a signal, all others held meanwhile. What the process was started to ignore, it goes on ignoring. Returns
/// what was done before.
struct sigaction handle(int signal, void (*handler)(int));

/// For the begin of a handler that must not run while signals are held: a thread of OpenBLAS's, which holds none,
/// passes its signal on to the main thread. Whether it did; the handler then has nothing to do.
bool passed_to_main_thread(int signal);

/// While it lives, the main thread's signals wait.
class HeldSignals {
 public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

  /// The signals that were held before it.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

/// From now on a write that cannot be done returns an error, where a signal would end the process: nobody reads the
/// pipe, or the file has the size that is allowed.
void let_writes_fail();

}  // namespace attn::system
