#include "system/unfinished.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>

#include <sys/stat.h>
#include <unistd.h>

#include "system/passing_line.hpp"

namespace attn::system {
namespace {

Unfinished* latest = nullptr;  // a signal handler follows the list from here to earlier ones

/// Safe in signal handlers: it allocates nothing.
void take_away(const char* path, Unfinished::Kind kind) {
  switch (kind) {
    case Unfinished::Kind::file: unlink(path); break;
    case Unfinished::Kind::folder: rmdir(path); break;
  }
}

}  // namespace

void Unfinished::take_away_all(int signal) {
  if (passed_to_main_thread(signal)) {
    return;
  }
  for (const Unfinished* one = latest; one != nullptr; one = one->earlier_) {
    if (!one->kept_) {
      take_away(one->path_.c_str(), one->kind_);
    }
  }
  PassingLine::erase();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

HeldSignals Unfinished::hold_signals() {
  static const bool is_handled = [] {
    for (int signal = 1; signal < NSIG; ++signal) {
      if (ends_process(signal)) {
        handle(signal, take_away_all);
      }
    }
    return true;
  }();
  static_cast<void>(is_handled);
  return {};
}

Unfinished::Unfinished(const std::filesystem::path& path, Kind kind) : path_(path), kind_(kind), earlier_(latest) {
  const HeldSignals held;
  latest = this;
}

Unfinished::~Unfinished() {
  const HeldSignals held;
  if (!kept_) {
    take_away(path_.c_str(), kind_);
  }
  Unfinished** at = &latest;
  while (*at != this) {
    at = &(*at)->earlier_;
  }
  *at = earlier_;
}

void Unfinished::keep() { kept_ = true; }

void Unfinished::let_contents_go() {
  if (kind_ == Kind::folder) {
    chmod(path_.c_str(), S_IRWXU);
  }
}

std::filesystem::path unfinished_name(const std::filesystem::path& path) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return path.parent_path() / (".attn-walkthrough." + std::to_string(getpid()) + "." + std::to_string(now) + ".tmp");
}

}  // namespace attn::system
