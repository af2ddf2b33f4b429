#include "system/place.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace attn::system {
namespace {

namespace fs = std::filesystem;

/// Held while names on the disk change.
std::mutex changing;

/// What a signal removes, the latest last; parents only if they are empty.
struct Unfinished {
  fs::path path;
  bool is_parent;
};

std::vector<Unfinished>& all_unfinished() {
  static auto* const all = new std::vector<Unfinished>;  // a signal may come when the program ends
  return *all;
}

void remove(const Unfinished& one) {
  std::error_code failed;
  one.is_parent ? fs::remove(one.path, failed) : fs::remove_all(one.path, failed);
  if (failed && !one.is_parent) {  // a replaced folder may be protected
    ::chmod(one.path.c_str(), S_IRWXU);
    for (fs::recursive_directory_iterator entry(one.path, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      entry->is_directory() && !entry->is_symlink() ? ::chmod(entry->path().c_str(), S_IRWXU) : 0;
    }
    fs::remove_all(one.path, failed);
  }
}

void forget(const fs::path& path) {
  std::erase_if(all_unfinished(), [&path](const Unfinished& one) { return one.path == path; });
}

bool is_there(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

/// Swaps two names. Returns false and sets errno if it cannot.
bool exchange(const fs::path& one, const fs::path& other) {
#if defined(__linux__)
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) {
    return true;
  }
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) {
    return false;
  }
#endif
  const fs::path aside = one.string() + ".old";
  if (::rename(other.c_str(), aside.c_str()) != 0) {
    return false;
  }
  if (::rename(one.c_str(), other.c_str()) != 0) {
    const int error = errno;
    ::rename(aside.c_str(), other.c_str());
    errno = error;
    return false;
  }
  return ::rename(aside.c_str(), one.c_str()) == 0;
}

}  // namespace

Beside::Beside(fs::path place, Kind kind) : place_(std::move(place)), kind_(kind) {
  const std::scoped_lock lock(changing);
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  unfinished_ =
      place_.parent_path() / (".attn-walkthrough." + std::to_string(getpid()) + "." + std::to_string(now) + ".tmp");
  make_parents(place_.parent_path());
  if (struct stat status{}; ::lstat(place_.c_str(), &status) != 0 && errno != ENOENT) {  // as a name too long
    const std::error_code error = last_error();
    withdraw();
    throw fs::filesystem_error("", place_, error);
  }
  all_unfinished().push_back({unfinished_, false});
  if (kind == Kind::folder && ::mkdir(unfinished_.c_str(), 0777) != 0) {
    const std::error_code error = last_error();
    withdraw();
    throw fs::filesystem_error("", place_, error);
  }
}

Beside::~Beside() {
  const std::scoped_lock lock(changing);
  withdraw();
}

void Beside::make_parents(const fs::path& folder) {
  if (folder.empty() || is_there(folder)) {
    return;
  }
  make_parents(folder.parent_path());
  if (::mkdir(folder.c_str(), 0777) == 0) {
    parents_.insert(parents_.begin(), folder);
    all_unfinished().push_back({folder, true});
  } else if (errno != EEXIST) {
    const std::error_code error = last_error();
    withdraw();
    throw fs::filesystem_error("", folder, error);
  }
}

void Beside::withdraw() {
  remove({unfinished_, false});
  forget(unfinished_);
  for (const fs::path& parent : parents_) {
    is_published_ ? void() : remove({parent, true});
    forget(parent);
  }
}

Descriptor Beside::open(const fs::path& name) const {
  const std::scoped_lock lock(changing);
  const fs::path path = name.empty() ? unfinished_ : unfinished_ / name;
  std::error_code error;
  if (!name.empty() && !fs::create_directories(path.parent_path(), error) && error) {
    throw fs::filesystem_error("", place_ / name, error);
  }
  Descriptor result(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (result.number() < 0) {
    throw_last_error(name.empty() ? place_ : place_ / name);
  }
  return result;
}

void Beside::publish(const Check& may_replace) {
  const std::scoped_lock lock(changing);
  if (kind_ == Kind::folder) {
    move_folder(may_replace);
  } else {
    may_replace&& is_there(place_) ? may_replace(place_) : void();
    move_file(static_cast<bool>(may_replace));
  }
  is_published_ = true;
}

void Beside::take_back() {
  const std::scoped_lock lock(changing);
  remove({place_, false});
  is_published_ = false;
}

void Beside::move_file(bool replaces) const {
  struct stat old {};
  if (replaces && ::stat(place_.c_str(), &old) == 0) {
    // Only a superuser can give a file away; bits that let others act as its owner are kept only with that owner.
    const bool is_given = ::chown(unfinished_.c_str(), old.st_uid, old.st_gid) == 0;
    ::chmod(unfinished_.c_str(), old.st_mode & (is_given ? 07777U : 0777U));
  }
  if (!replaces && ::link(unfinished_.c_str(), place_.c_str()) == 0) {
    return;
  }
  if (!replaces && (errno == EEXIST || is_there(place_))) {
    throw_exists(place_);
  }
  if (::rename(unfinished_.c_str(), place_.c_str()) != 0) {
    throw_last_error(place_);
  }
}

void Beside::move_folder(const Check& may_replace) {
  while (::rename(unfinished_.c_str(), place_.c_str()) != 0) {
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) {
      throw_last_error(place_);
    }
    if (!may_replace) {
      throw_exists(place_);
    }
    may_replace(place_);
    if (exchange(unfinished_, place_)) {
      try {
        return may_replace(unfinished_);  // others may have put something in
      } catch (...) {
        exchange(unfinished_, place_);
        throw;
      }
    }
    if (errno != ENOENT) {
      throw_last_error(place_);
    }
  }
}

void remove_unfinished() {
  changing.lock();
  std::for_each(all_unfinished().rbegin(), all_unfinished().rend(), remove);
}

void throw_exists(const fs::path& path) {
  throw fs::filesystem_error("", path, std::make_error_code(std::errc::file_exists));
}

}  // namespace attn::system
