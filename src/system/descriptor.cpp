#include "system/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

namespace attn::system {

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) {
    ::close(number_);
  }
}

void Descriptor::close() {
  if (::close(std::exchange(number_, -1)) != 0 && errno != EINTR) {
    throw std::system_error(last_error());
  }
}

std::error_code last_error() { return {errno, std::generic_category()}; }

void throw_last_error(const std::filesystem::path& path) {
  throw std::filesystem::filesystem_error("", path, last_error());
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd room{descriptor, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      throw std::system_error(last_error());
    }
  }
}

void occupy_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) < 0) {
      // The lowest free number is this one. Opened in the opposite direction, it can neither be read nor written.
      [[maybe_unused]] const int opened = ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

Output::Output(int descriptor) : std::ostream(nullptr), buffer_(descriptor) {
  rdbuf(&buffer_);
  exceptions(badbit);  // on the stream, so that the buffer's exceptions are not swallowed
}

Output::Buffer::Buffer(int descriptor) : descriptor_(descriptor) { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

Output::Buffer::int_type Output::Buffer::overflow(int_type c) {
  sync();
  return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                         : sputc(traits_type::to_char_type(c));
}

int Output::Buffer::sync() {
  const std::string_view bytes(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  try {
    write_all(descriptor_, bytes);
    count_ += static_cast<std::int64_t>(bytes.size());
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) {
      throw ReaderGone();
    }
    throw WriteError(error.code());
  }
  return 0;
}

}  // namespace attn::system
