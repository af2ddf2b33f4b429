#include "system/pager.hpp"

#include <semaphore.h>

#include <array>
#include <new>
#include <system_error>
#include <thread>

#include "system/place.hpp"

namespace attn::system {
namespace {

constexpr std::array of_keys = {SIGINT, SIGQUIT};

volatile std::sig_atomic_t came = 0;
sem_t has_come;

void tell(int signal) {
  came = signal;
  sem_post(&has_come);
}

/// Waits for a signal, and ends the process as it would have.
void wait_for_end() {
  while (sem_wait(&has_come) != 0) {
  }
  const int signal = came;
  remove_unfinished();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

void watch_signals() {
  static const bool is_watched = [] {
    sem_init(&has_come, 0, 0);
    try {
      std::thread(wait_for_end).detach();
    } catch (const std::system_error&) {
      throw std::bad_alloc();  // there is no room for its stack
    }
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU}) {
      struct sigaction before {};
      struct sigaction action {};
      action.sa_handler = tell;
      action.sa_flags = SA_RESTART;
      if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(signal, &action, nullptr);
      }
    }
    return true;
  }();
  static_cast<void>(is_watched);
}

void leave_keys_to_pager(bool is_paged) {
  static std::array<void (*)(int), of_keys.size()> before{};
  for (std::size_t i = 0; i < of_keys.size(); ++i) {
    if (is_paged) {
      before[i] = std::signal(of_keys[i], SIG_IGN);
    } else {
      std::signal(of_keys[i], before[i]);
    }
  }
}

void let_writes_fail() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace attn::system
