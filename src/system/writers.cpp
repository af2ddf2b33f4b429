#include "system/writers.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/place.hpp"
#include "system/signals.hpp"

namespace attn::system {
namespace {

namespace fs = std::filesystem;

void throw_exists(const fs::path& path) {
  throw fs::filesystem_error("", path, std::make_error_code(std::errc::file_exists));
}

/// The name is kept as far as the system can; what is there is there all the same.
void sync_name(const fs::path& path) {
  try {
    sync_folder(path.has_parent_path() ? path.parent_path() : ".");
  } catch (const fs::filesystem_error&) {  // a folder that may be written, but not read
  }
}

/// A new file with these bytes, on the disk.
void write_new_file(const fs::path& file, std::string_view bytes) try {
  Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (descriptor.number() < 0) {
    throw_last_error(file);
  }
  write_all(descriptor.number(), bytes);
  sync(descriptor.number(), file);
  descriptor.close();
} catch (const fs::filesystem_error&) {
  throw;
} catch (const std::system_error& error) {
  throw fs::filesystem_error("", file, error.code());
}

}  // namespace

FileWriter::FileWriter(fs::path place, bool may_replace) : place_(std::move(place)), may_replace_(may_replace) {
  const fs::path name = unfinished_name(place_);
  const HeldSignals held = Unfinished::hold_signals();
  descriptor_ = Descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (descriptor_.number() < 0) {
    throw_last_error(place_);
  }
  unfinished_.emplace(name, Unfinished::Kind::file);
}

void FileWriter::publish() {
  struct stat old{};
  if (may_replace_ && ::stat(place_.c_str(), &old) == 0) {
    // Only a superuser can give a file away; without it the file is the writer's.
    [[maybe_unused]] const int given = ::fchown(descriptor(), old.st_uid, old.st_gid);
    ::fchmod(descriptor(), old.st_mode & 07777U);
  }
  sync(descriptor(), place_);
  try {
    descriptor_.close();
  } catch (const std::system_error& error) {
    throw fs::filesystem_error("", place_, error.code());
  }
  {
    const HeldSignals held;
    if (!may_replace_) {
      if (!rename_to_new(unfinished_->path(), place_)) {
        throw_exists(place_);
      }
    } else if (::rename(unfinished_->path().c_str(), place_.c_str()) != 0) {
      throw_last_error(place_);
    }
    unfinished_->keep();
  }
  sync_name(place_);
}

FolderWriter::FolderWriter(const fs::path& place) : place_(place_of(place).path) {
  make_parents(place_.parent_path());
  place_ = place_of(place_).path;  // "new/.." leads somewhere now
  const fs::path name = unfinished_name(place_);
  const HeldSignals held = Unfinished::hold_signals();
  if (::mkdir(name.c_str(), 0777) != 0) {
    throw_last_error(place_);
  }
  unfinished_.emplace(name, Unfinished::Kind::tree);
}

FolderWriter::~FolderWriter() {
  if (state_ == State::published || state_ == State::replaced) {
    withdraw();
  }
}

void FolderWriter::make_parents(const fs::path& folder) {
  struct stat status{};
  if (folder.empty() || ::stat(folder.c_str(), &status) == 0) {
    return;
  }
  make_parents(folder.parent_path());
  const HeldSignals held = Unfinished::hold_signals();
  if (::mkdir(folder.c_str(), 0777) == 0) {
    parents_.emplace_front(folder, Unfinished::Kind::empty_folder);
  } else if (errno != EEXIST) {
    throw_last_error(folder);
  }
}

void FolderWriter::write(const fs::path& file, std::string_view bytes) {
  fs::path folder;
  for (const fs::path& part : file.parent_path()) {
    folder /= part;
    if (::mkdir((unfinished_->path() / folder).c_str(), 0777) == 0) {
      folders_.push_back(unfinished_->path() / folder);
    } else if (errno != EEXIST) {
      throw_last_error(place_ / folder);
    }
  }
  try {
    write_new_file(unfinished_->path() / file, bytes);
  } catch (const fs::filesystem_error& error) {
    throw fs::filesystem_error("", place_ / file, error.code());
  }
}

void FolderWriter::publish(const Check& may_replace) {
  struct stat status{};
  if (::stat(unfinished_->path().c_str(), &status) != 0) {
    throw_last_error(place_);
  }
  inode_ = status.st_ino;
  try {
    for (const fs::path& folder : folders_) {
      sync_folder(folder);
    }
    sync_folder(unfinished_->path());
  } catch (const fs::filesystem_error& error) {
    throw fs::filesystem_error("", place_, error.code());
  }
  while (state_ == State::written) {
    if (rename_to_new(unfinished_->path(), place_)) {
      state_ = State::published;
    } else if (!may_replace) {
      throw_exists(place_);
    } else if (replace(may_replace)) {
      state_ = State::replaced;
    }
  }
  sync_name(place_);
}

/// False where what was in the way is gone.
bool FolderWriter::replace(const Check& may_replace) {
  may_replace(place_);
  const HeldSignals held;
  if (!exchange(unfinished_->path(), place_)) {
    return false;
  }
  try {
    may_replace(unfinished_->path());  // somebody may have put something into it meanwhile
  } catch (...) {
    exchange(unfinished_->path(), place_);
    throw;
  }
  return true;
}

void FolderWriter::finish() {
  state_ = State::finished;
  for (Unfinished& parent : parents_) {
    parent.keep();
  }
}

void FolderWriter::withdraw() {
  struct stat status{};
  const HeldSignals held;
  if (::lstat(place_.c_str(), &status) != 0 || status.st_ino != inode_) {
    return;  // another's by now
  }
  try {
    if (state_ == State::replaced) {
      exchange(unfinished_->path(), place_);
    } else {
      rename_to_new(place_, unfinished_->path());
    }
  } catch (const fs::filesystem_error&) {  // then the new one stays, whole
  }
}

}  // namespace attn::system
