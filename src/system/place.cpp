#include "system/place.hpp"

#include <algorithm>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace attn::system {
namespace {

namespace fs = std::filesystem;

bool is_standard_output(const fs::path& path) {
  return path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

fs::path without_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

}  // namespace

Place place_of(const fs::path& asked) {
  if (is_standard_output(asked)) {
    return {Place::Kind::stream, asked};
  }
  fs::path path = without_slash(asked);
  const fs::file_type followed = fs::status(path).type();  // throws for links in a circle
  const bool is_plain = followed == fs::file_type::not_found || followed == fs::file_type::regular ||
                        followed == fs::file_type::directory;
  while (is_plain && fs::is_symlink(fs::symlink_status(path))) {
    path = without_slash(path.parent_path() / fs::read_symlink(path));
  }
  const fs::path there = fs::exists(path) ? path : path.lexically_normal();  // "new/../file"
  const fs::file_status status = fs::status(there);
  if (!fs::exists(status)) {
    return {Place::Kind::nothing, path};
  }
  return {fs::is_directory(status)      ? Place::Kind::folder
          : fs::is_regular_file(status) ? Place::Kind::file
                                        : Place::Kind::stream,
          there};
}

Descriptor opened(const Place& stream) {
  Descriptor result(is_standard_output(stream.path) ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
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

}  // namespace attn::system
