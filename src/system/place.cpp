#include "system/place.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include "system/unfinished.hpp"

namespace attn::system {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // Linux's limit

/// The folder of a path: "." for a bare name.
fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

fs::path without_slashes(fs::path path) {
  while (path.has_relative_path() && !path.has_filename()) {
    path = path.parent_path();
  }
  return path;
}

/// Links in /proc lead to open files, which may have been renamed or removed.
bool is_in_proc([[maybe_unused]] const fs::path& path) {
#if defined(__linux__)
  struct statfs system {};
  return ::statfs(folder_of(path).c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
#else
  return false;
#endif
}

/// The N of this process's own /proc/self/fd/N.
int own_descriptor(const fs::path& path) {
  std::error_code ignored;
  const std::string name = path.filename().string();
  const bool is_own = fs::canonical(folder_of(path), ignored) == "/proc/" + std::to_string(getpid()) + "/fd";
  const bool is_number = name.size() < 10 && name.find_first_not_of("0123456789") == std::string::npos;
  return is_own && is_number ? std::stoi(name) : -1;
}

/// What a rename does besides.
enum class Renaming { replaces_nothing, exchanges };

/// Linux's renameat2; elsewhere as where a file system does not know the flags.
bool renamed([[maybe_unused]] const fs::path& from, [[maybe_unused]] const fs::path& to,
             [[maybe_unused]] Renaming how) {
#if defined(__linux__)
  const unsigned flags = how == Renaming::exchanges ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0;
#else
  errno = ENOSYS;
  return false;
#endif
}

bool knows_no_flags(int error) { return error == EINVAL || error == ENOSYS || error == ENOTSUP; }

}  // namespace

Place place_of(fs::path path) {
  path = without_slashes(std::move(path));
  struct stat status {};
  for (int links = 0; ::lstat(path.c_str(), &status) == 0; ++links) {
    if (!S_ISLNK(status.st_mode)) {
      return {S_ISREG(status.st_mode)   ? Place::Kind::file
              : S_ISDIR(status.st_mode) ? Place::Kind::folder
                                        : Place::Kind::stream,
              path};
    }
    if (is_in_proc(path)) {
      return {::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) ? Place::Kind::folder : Place::Kind::stream,
              path, own_descriptor(path)};
    }
    if (links == most_links) {
      throw fs::filesystem_error("", path, std::make_error_code(std::errc::too_many_symbolic_link_levels));
    }
    path = without_slashes(folder_of(path) / fs::read_symlink(path));
  }
  if (errno != ENOENT) {
    throw_last_error(path);
  }
  return {Place::Kind::nothing, path};
}

Descriptor opened(const Place& stream) {
  Descriptor result(stream.open_descriptor >= 0 ? ::fcntl(stream.open_descriptor, F_DUPFD_CLOEXEC, 0)
                                                : ::open(stream.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (result.number() < 0) {
    throw_last_error(stream.path);
  }
  return result;
}

bool overlap(const Place& one, const Place& other) {
  const fs::path a = fs::weakly_canonical(fs::absolute(one.path));
  const fs::path b = fs::weakly_canonical(fs::absolute(other.path));
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return in_a == a.end() || in_b == b.end();
}

bool same_stream(const Place& one, const Place& other) {
  struct stat a {};
  struct stat b {};
  return ::stat(one.path.c_str(), &a) == 0 && ::stat(other.path.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

bool rename_to_new(const fs::path& from, const fs::path& to) {
  if (renamed(from, to, Renaming::replaces_nothing)) {
    return true;
  }
  if (knows_no_flags(errno)) {
    if (::link(from.c_str(), to.c_str()) == 0) {
      ::unlink(from.c_str());
      return true;
    }
    struct stat status {};
    if (::lstat(to.c_str(), &status) == 0) {
      return false;
    }
    // A folder replaces only an empty one.
    if (::rename(from.c_str(), to.c_str()) == 0) {
      return true;
    }
  }
  if (errno == EEXIST || errno == ENOTEMPTY) {
    return false;
  }
  throw_last_error(to);
}

bool exchange(const fs::path& one, const fs::path& other) {
  if (renamed(one, other, Renaming::exchanges)) {
    return true;
  }
  if (knows_no_flags(errno)) {
    // A file keeps its name until another takes it; a folder must give it up first.
    const fs::path aside = unfinished_name(other).replace_extension(".old");
    if (::link(other.c_str(), aside.c_str()) == 0 || ::rename(other.c_str(), aside.c_str()) == 0) {
      if (::rename(one.c_str(), other.c_str()) == 0) {
        if (::rename(aside.c_str(), one.c_str()) != 0) {
          throw_last_error(aside);
        }
        return true;
      }
      const int error = errno;
      ::rename(aside.c_str(), other.c_str());
      ::unlink(aside.c_str());  // left over if both names are the same file
      errno = error;
    }
  }
  if (errno == ENOENT) {
    return false;
  }
  throw_last_error(other);
}

}  // namespace attn::system
