#include "present/rescue.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "system/signals.hpp"

namespace attn::present {
namespace {

// State that a signal handler may read.
const TerminalState* given = nullptr;
volatile std::sig_atomic_t restorable = 0;
std::array<volatile std::sig_atomic_t, NSIG> asked{};
std::array<int, 2> bell = {-1, -1};  // a pipe that wakes wait()

void give_back() {
  const char* text = given->farewell.data();
  std::size_t left = given->farewell.size();
  while (left > 0) {
    const ssize_t written = write(STDOUT_FILENO, text, left);
    if (written <= 0) {
      break;
    }
    text += written;
    left -= static_cast<std::size_t>(written);
  }
  tcsetattr(STDIN_FILENO, TCSANOW, &given->modes);
}

void end(int signal) {
  if (system::passed_to_main_thread(signal)) {
    return;
  }
  if (restorable != 0) {
    restorable = 0;
    give_back();
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void ask(int signal) {
  const int error = errno;
  asked[static_cast<std::size_t>(signal)] = 1;
  const char byte = 1;
  [[maybe_unused]] const ssize_t written = write(bell[1], &byte, 1);
  errno = error;
}

timespec time_until(std::chrono::steady_clock::time_point deadline) {
  using std::chrono::nanoseconds;
  constexpr std::int64_t second = 1'000'000'000;
  const nanoseconds left = std::max<nanoseconds>(deadline - std::chrono::steady_clock::now(), nanoseconds::zero());
  return {.tv_sec = left.count() / second, .tv_nsec = left.count() % second};
}

bool take(int signal) {
  const bool was = asked[static_cast<std::size_t>(signal)] != 0;
  asked[static_cast<std::size_t>(signal)] = 0;
  return was;
}

}  // namespace

Rescue::Rescue(const TerminalState& state) {
  if (pipe2(bell.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::runtime_error("cannot open a pipe; too many files are open; close some of them");
  }
  given = &state;
  restorable = 1;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (system::ends_process(signal)) {
      before_.at(static_cast<std::size_t>(signal)) = system::handle(signal, end);
    }
  }
  for (const int signal : asking) {
    before_.at(static_cast<std::size_t>(signal)) = system::handle(signal, ask);
  }
}

Rescue::~Rescue() {
  restorable = 0;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (system::ends_process(signal) || std::find(asking.begin(), asking.end(), signal) != asking.end()) {
      sigaction(signal, &before_.at(static_cast<std::size_t>(signal)), nullptr);
    }
  }
  close(bell[0]);
  close(bell[1]);
}

Rescue::Wanted Rescue::wanted() {
  if (take(SIGTSTP)) {
    return Wanted::pause;
  }
  if (take(SIGWINCH)) {
    return Wanted::resize;
  }
  return take(SIGCONT) ? Wanted::redraw : Wanted::nothing;
}

bool Rescue::wait(std::optional<std::chrono::steady_clock::time_point> deadline) const {
  std::array<pollfd, 2> watched = {pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{bell[0], POLLIN, 0}};
  const std::optional<timespec> left = deadline ? std::optional(time_until(*deadline)) : std::nullopt;
  const int found = ppoll(watched.data(), watched.size(), left ? &*left : nullptr, nullptr);
  const bool readable = found > 0 && watched[0].revents != 0;
  std::array<char, 64> bytes{};
  while (read(bell[0], bytes.data(), bytes.size()) > 0) {
  }
  return readable;
}

void Rescue::pause() {
  restorable = 0;
  struct sigaction handled {};
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &plain, &handled);
  raise(SIGTSTP);
  sigaction(SIGTSTP, &handled, nullptr);
  take(SIGCONT);
  restorable = 1;
}

}  // namespace attn::present
