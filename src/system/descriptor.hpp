#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

namespace attn::system {

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
