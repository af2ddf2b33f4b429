#include "files/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "files/wrong.hpp"
#include "text/utf8.hpp"
#include "walk/memory.hpp"

namespace attn::files {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unreadable() {
  throw Wrong("it cannot be read (" + system::last_error().message() + ")", "see that it is there and readable");
}

/// Opens the path only if it is a regular file, since opening a pipe or a device may have side effects.
system::Descriptor open_regular(const fs::path& path, struct stat& status) {
  const auto check = [&](int result) {
    if (result != 0) {
      throw_unreadable();
    }
    if (!S_ISREG(status.st_mode)) {
      throw Wrong("it is not a regular file", "write it to a file first, and name that");
    }
  };
  check(stat(path.c_str(), &status));
  system::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number() < 0) {
    throw_unreadable();
  }
  check(fstat(file.number(), &status));
  return file;
}

/// Returns true if the name has no control characters for a terminal and no invalid bytes.
bool is_readable(std::string_view name) {
  while (!name.empty()) {
    const text::Character character = text::first_character(name);
    if (!character.valid || text::is_control(character.code) || text::is_direction_mark(character.code)) {
      return false;
    }
    name.remove_prefix(character.size);
  }
  return true;
}

}  // namespace

Bytes::Bytes(const fs::path& path) {
  struct stat status {};
  file_ = open_regular(path, status);
  if (status.st_size == 0) {
    throw Wrong("it is empty", "write it again");
  }
  size_ = static_cast<std::size_t>(status.st_size);
}

void Bytes::read(std::size_t position, char* to, std::size_t count) const {
  if (file_.number() < 0) {
    std::copy_n(view_.data() + position, count, to);
    return;
  }
  while (count > 0) {
    const ssize_t got = pread(file_.number(), to, count, static_cast<off_t>(position));
    if (got < 0 && errno != EINTR) {
      throw_unreadable();
    }
    if (got == 0) {
      throw Wrong("it became shorter while it was read", "wait until it is written, and verify it again");
    }
    const auto done = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    position += done;
    to += done;
    count -= done;
  }
}

std::string Bytes::piece(std::size_t position, std::size_t count) const {
  std::string bytes(std::min(count, size_ - position), '\0');
  read(position, bytes.data(), bytes.size());
  return bytes;
}

void Bytes::each_piece(std::size_t position, std::size_t count,
                       const std::function<void(std::string_view piece)>& use) const {
  constexpr std::size_t most = std::size_t{1} << 20U;
  std::string room(std::min(count, most), '\0');
  while (count > 0) {
    const std::size_t size = std::min(count, most);
    read(position, room.data(), size);
    use({room.data(), size});
    position += size;
    count -= size;
  }
}

Beginning beginning_of(const fs::path& path, std::size_t count) try {
  const Bytes bytes(path);
  return {static_cast<std::int64_t>(bytes.size()), bytes.piece(0, count)};
} catch (const Wrong&) {
  return {};
}

bool has_extension(const fs::path& path, std::string_view extension) {
  return std::ranges::equal(path.extension().native(), extension, [](char a, char b) { return text::lower(a) == b; });
}

void check_memory(std::int64_t bytes) {
  constexpr std::int64_t always_there = std::int64_t{1} << 20U;
  if (bytes <= always_there) {
    return;
  }
  const std::int64_t available = available_memory();
  if (bytes > available) {
    throw Wrong("it needs " + memory_text(bytes) + " of memory, but only " + memory_text(available) + " is available",
                "dump fewer tensors at once, or smaller ones", "tensors must fit into memory");
  }
}

void check_name(std::string_view name) {
  const std::string accepted = "names must look like attn_scores or head_1/keys";
  if (!is_readable(name)) {
    throw Wrong("a name in it has control characters, or is not UTF-8", "rename that tensor", accepted);
  }
  const std::string shown = "'" + std::string(name.substr(0, 100)) + "'";
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("/\\", begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    const bool is_root = part.empty() && begin == 0 && name.size() > 1 && name[0] == '/';  // ONNX's /attn/MatMul
    if ((part.empty() && !is_root) || part == "." || part == "..") {
      throw Wrong("the name " + shown + " in it is not a path below the folder", "rename that tensor", accepted);
    }
    begin = end + 1;
  }
}

}  // namespace attn::files
