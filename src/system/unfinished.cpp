#include "system/unfinished.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace attn::system {
namespace {

Unfinished* latest = nullptr;  // a signal handler goes from here to the earlier ones

void remove_at(int folder, const char* name);

/// Removes what is in the folder. For signal handlers too: it allocates nothing, and opendir() would.
void empty(int folder) {
  alignas(dirent64) std::array<std::byte, 4096> entries;
  for (;;) {
    const long size = syscall(SYS_getdents64, folder, entries.data(), entries.size());
    if (size <= 0) {
      return;
    }
    bool is_removed = false;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) {
        remove_at(folder, entry->d_name);
        is_removed = true;
      }
      at += entry->d_reclen;
    }
    if (!is_removed) {
      return;
    }
  }
}

int open_folder(int folder, const char* name) {
  return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void remove_at(int folder, const char* name) {
  if (unlinkat(folder, name, 0) == 0) {
    return;
  }
  int opened = open_folder(folder, name);
  if (opened < 0 && errno == EACCES) {
    fchmodat(folder, name, S_IRWXU, 0);
    opened = open_folder(folder, name);
  }
  if (opened >= 0) {
    fchmod(opened, S_IRWXU);  // it may be one that was protected
    empty(opened);
    close(opened);
  }
  unlinkat(folder, name, AT_REMOVEDIR);
}

void take_away(const char* path, Unfinished::Kind kind) {
  switch (kind) {
    case Unfinished::Kind::file: unlink(path); break;
    case Unfinished::Kind::tree: remove_at(AT_FDCWD, path); break;
    case Unfinished::Kind::empty_folder: rmdir(path); break;
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

std::filesystem::path unfinished_name(const std::filesystem::path& path) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return path.parent_path() / (".attn-walkthrough." + std::to_string(getpid()) + "." + std::to_string(now) + ".tmp");
}

}  // namespace attn::system
