#include "system/signals.hpp"

#include <cerrno>

#include <pthread.h>

namespace attn::system {
namespace {

const pthread_t main_thread = pthread_self();  // which runs what is constructed before main

}  // namespace

bool ends_process(int signal) {
  switch (signal) {
    case SIGKILL:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH: return false;
    default: return signal > 0 && signal < NSIG;
  }
}

struct sigaction handle(int signal, void (*handler)(int)) {
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) {
    return before;
  }
  struct sigaction action {};
  action.sa_handler = handler;
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
  return before;
}

bool passed_to_main_thread(int signal) {
  if (pthread_equal(pthread_self(), main_thread) != 0) {
    return false;
  }
  const int error = errno;
  pthread_kill(main_thread, signal);
  errno = error;
  return true;
}

HeldSignals::HeldSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

HeldSignals::~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void let_writes_fail() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace attn::system
