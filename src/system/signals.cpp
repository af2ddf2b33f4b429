#include "system/signals.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <system_error>
#include <thread>

#include "system/beside.hpp"

namespace attn::system {
namespace {

constexpr std::array of_keys = {SIGINT, SIGQUIT};
std::atomic<bool> has_pager = false;

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Waits for one of these signals, which all other threads block, and ends the process as it would have.
void wait_for_end(const sigset_t& ends) {
  int signal = 0;
  do {
    sigwait(&ends, &signal);
  } while (has_pager && std::ranges::find(of_keys, signal) != of_keys.end());
  remove_unfinished();
  std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);
  raise(signal);
}

}  // namespace

void watch_signals() {
  static const bool is_watched = [] {
    sigset_t ends;
    sigemptyset(&ends);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU}) {
      is_ignored(signal) ? 0 : sigaddset(&ends, signal);
    }
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    try {
      std::thread(wait_for_end, ends).detach();
    } catch (const std::system_error&) {
      throw std::bad_alloc();  // there is no room for its stack
    }
    return true;
  }();
  static_cast<void>(is_watched);
}

void leave_keys_to_pager(bool is_paged) {
  static std::array<void (*)(int), of_keys.size()> before{};
  has_pager = is_paged;
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
