#include "system/writers.hpp"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string_view>
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

Descriptor new_file(const fs::path& file) {
  return Descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
}

/// Keeps the replaced file's permissions. Bits that let others act as its owner or group are kept only with that owner.
void take_over_permissions(const Descriptor& descriptor, const fs::path& place) {
  struct stat old {};
  if (::stat(place.c_str(), &old) == 0) {
    // Only a superuser can change a file's owner; otherwise the file belongs to the writer.
    const bool is_given = ::fchown(descriptor.number(), old.st_uid, old.st_gid) == 0;
    ::fchmod(descriptor.number(), old.st_mode & (is_given ? 07777U : 0777U));
  }
}

void sync_and_close(Descriptor& descriptor, const fs::path& place) {
  sync(descriptor.number(), place);
  try {
    descriptor.close();
  } catch (const std::system_error& error) {
    throw fs::filesystem_error("", place, error.code());
  }
}

/// Writes a new file with the output of `write`, and syncs it to the disk.
void write_new_file(const fs::path& file, const std::function<void(const FolderWriter::Sink& sink)>& write) try {
  Descriptor descriptor = new_file(file);
  if (descriptor.number() < 0) {
    throw_last_error(file);
  }
  write([&descriptor](std::string_view bytes) { write_all(descriptor.number(), bytes); });
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
  descriptor_ = new_file(name);
  if (descriptor_.number() < 0) {
    throw_last_error(place_);
  }
  unfinished_.emplace(name, Unfinished::Kind::file);
}

void FileWriter::publish() {
  if (may_replace_) {
    take_over_permissions(descriptor_, place_);
  }
  sync_and_close(descriptor_, place_);
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

RevocableFileWriter::RevocableFileWriter(const fs::path& place)
    : publication_(place, Unfinished::Kind::file, [this](const fs::path& name) {
        descriptor_ = new_file(name);
        return descriptor_.number() >= 0;
      }) {}

void RevocableFileWriter::overwrite(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written >= 0) {
      offset += static_cast<std::uint64_t>(written);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      throw std::system_error(last_error());
    }
  }
}

void RevocableFileWriter::publish(bool may_replace) {
  const fs::path& place = publication_.place();
  if (may_replace) {
    take_over_permissions(descriptor_, place);
  }
  sync_and_close(descriptor_, place);
  const auto check = [](const fs::path& found) {
    struct stat status {};
    if (::lstat(found.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
      throw_exists(found);
    }
  };
  publication_.publish(may_replace ? Publication::Check(check) : Publication::Check());
}

FolderWriter::FolderWriter(const fs::path& place)
    : publication_(place, Unfinished::Kind::folder,
                   [](const fs::path& name) { return ::mkdir(name.c_str(), 0777) == 0; }) {}

void FolderWriter::write(const fs::path& file, const std::function<void(const Sink& sink)>& write) {
  fs::path folder;
  for (const fs::path& part : file.parent_path()) {
    folder /= part;
    const fs::path made = publication_.unfinished() / folder;
    if (std::ranges::find(folders_, made) != folders_.end()) {
      continue;
    }
    publication_.expect(made, Unfinished::Kind::folder);
    if (::mkdir(made.c_str(), 0777) != 0) {
      throw_last_error(publication_.place() / folder);
    }
    folders_.push_back(made);
  }
  publication_.expect(publication_.unfinished() / file, Unfinished::Kind::file);
  try {
    write_new_file(publication_.unfinished() / file, write);
  } catch (const fs::filesystem_error& error) {
    throw fs::filesystem_error("", publication_.place() / file, error.code());
  }
}

void FolderWriter::publish(const Check& may_replace) {
  try {
    for (const fs::path& folder : folders_) {
      sync_folder(folder);
    }
    sync_folder(publication_.unfinished());
  } catch (const fs::filesystem_error& error) {
    throw fs::filesystem_error("", publication_.place(), error.code());
  }
  publication_.publish(may_replace);
}

}  // namespace attn::system
