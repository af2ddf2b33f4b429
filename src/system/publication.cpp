#include "system/publication.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <sys/stat.h>

#include "system/descriptor.hpp"
#include "system/place.hpp"
#include "system/signals.hpp"

namespace attn::system {

namespace fs = std::filesystem;

Publication::Publication(const fs::path& place, Unfinished::Kind kind, const Make& make)
    : place_(place_of(place).path) {
  make_parents(place_.parent_path());
  place_ = place_of(place_).path;  // "new/.." exists now
  const fs::path name = unfinished_name(place_);
  const HeldSignals held = Unfinished::hold_signals();
  if (!make(name)) {
    throw_last_error(place_);
  }
  unfinished_.emplace(name, kind);
}

Publication::~Publication() {
  if (state_ == State::published || state_ == State::replaced) {
    withdraw();
  }
}

void Publication::make_parents(const fs::path& folder) {
  struct stat status {};
  if (folder.empty() || ::stat(folder.c_str(), &status) == 0) {
    return;
  }
  make_parents(folder.parent_path());
  const HeldSignals held = Unfinished::hold_signals();
  if (::mkdir(folder.c_str(), 0777) == 0) {
    parents_.emplace_front(folder, Unfinished::Kind::folder);
  } else if (errno != EEXIST) {
    throw_last_error(folder);
  }
}

void Publication::publish(const Check& may_replace) {
  struct stat status {};
  if (::stat(unfinished().c_str(), &status) != 0) {
    throw_last_error(place_);
  }
  inode_ = status.st_ino;
  while (state_ == State::written) {
    if (rename_to_new(unfinished(), place_)) {
      state_ = State::published;
    } else if (!may_replace) {
      throw_exists(place_);
    } else if (replace(may_replace)) {
      state_ = State::replaced;
    }
  }
  sync_name(place_);
  for (const Unfinished& parent : parents_) {
    sync_name(parent.path());
  }
}

/// Returns false if the obstacle is gone.
bool Publication::replace(const Check& may_replace) {
  may_replace(place_);
  const HeldSignals held;
  if (!exchange(unfinished(), place_)) {
    return false;
  }
  try {
    expect_replaced(unfinished());
    may_replace(unfinished());  // anything added from now on is unexpected and stays
  } catch (...) {
    std::ranges::for_each(replaced_, &Unfinished::keep);
    exchange(unfinished(), place_);
    throw;
  }
  return true;
}

/// Registers the contents of a replaced folder for removal with it. Throws if they cannot be listed.
void Publication::expect_replaced(const fs::path& replaced) {
  if (!fs::is_directory(fs::symlink_status(replaced))) {
    return;
  }
  for (const fs::directory_entry& old : fs::recursive_directory_iterator(replaced)) {
    const bool is_folder = fs::is_directory(old.symlink_status());
    replaced_.emplace_front(old.path(), is_folder ? Unfinished::Kind::folder : Unfinished::Kind::file);
  }
}

fs::path Publication::finish() {
  fs::path left;
  if (state_ == State::replaced) {
    const fs::path replaced = unfinished();
    unfinished_->let_contents_go();
    std::ranges::for_each(replaced_, &Unfinished::let_contents_go);
    std::ranges::for_each(contents_, &Unfinished::keep);
    replaced_.clear();
    unfinished_.reset();
    struct stat status {};
    left = ::lstat(replaced.c_str(), &status) == 0 ? replaced : fs::path();
  }
  state_ = State::finished;
  for (Unfinished& parent : parents_) {
    parent.keep();
  }
  return left;
}

void Publication::withdraw() {
  struct stat status {};
  const HeldSignals held;
  if (::lstat(place_.c_str(), &status) != 0 || status.st_ino != inode_) {
    return;  // the name now belongs to something else
  }
  try {
    if (state_ == State::replaced) {
      std::ranges::for_each(replaced_, &Unfinished::keep);
      exchange(unfinished(), place_);
    } else {
      rename_to_new(place_, unfinished());
    }
  } catch (const fs::filesystem_error&) {  // the new one then stays, complete
  }
}

void sync_name(const fs::path& path) {
  try {
    sync_folder(path.has_parent_path() ? path.parent_path() : ".");
  } catch (const fs::filesystem_error&) {  // a folder that is writable but not readable
  }
}

void throw_exists(const fs::path& path) {
  throw fs::filesystem_error("", path, std::make_error_code(std::errc::file_exists));
}

}  // namespace attn::system
