#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <system_error>

namespace attn::system {

/// Thrown if the pipe has no reader. It is not an error: the reader has what it wanted.
struct ReaderGone {};

struct WriteError : std::system_error {
  using std::system_error::system_error;
};

/// A stream to an open descriptor. Nothing is written before it is flushed. Throws ReaderGone and WriteError.
class Output final : public std::ostream {
 public:
  explicit Output(int descriptor);

  /// The number of bytes written.
  std::int64_t count() const { return buffer_.count(); }

 private:
  class Buffer final : public std::streambuf {
   public:
    explicit Buffer(int descriptor);

    std::int64_t count() const { return count_; }

   protected:
    int_type overflow(int_type c) override;
    int sync() override;

   private:
    int descriptor_;
    std::int64_t count_ = 0;
    std::array<char, 1U << 16U> bytes_;
  };

  Buffer buffer_;
};

/// An open file, closed by the destructor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int number() const { return number_; }
  /// Closes the file. Throws std::system_error if the system reports a failed write only now.
  void close();

 private:
  int number_;
};

/// The error of the last system call.
std::error_code last_error();
[[noreturn]] void throw_last_error(const std::filesystem::path& path);

/// Writes all bytes; waits if a non-blocking descriptor has no room. Throws std::system_error.
void write_all(int descriptor, std::string_view bytes);

/// Opens the standard descriptors that were closed at the program's start, so that no file gets their numbers. Using
/// them fails, as it would have if they were closed.
void occupy_standard_descriptors();

}  // namespace attn::system
