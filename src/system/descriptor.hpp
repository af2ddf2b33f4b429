#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

namespace attn::system {

/// An open file, closed with it.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int number() const { return number_; }
  /// Closes it. Throws std::system_error where the system only now says that something was not written.
  void close();

 private:
  int number_;
};

/// What the last call to the system complained of.
std::error_code last_error();
[[noreturn]] void throw_last_error(const std::filesystem::path& path);

/// Writes all of it; where a descriptor that does not block has no room, waits. Throws std::system_error.
void write_all(int descriptor, std::string_view bytes);

/// Waits until all that was written is on the disk. Throws std::filesystem::filesystem_error; not for a file system
/// that cannot wait.
void sync(int descriptor, const std::filesystem::path& path);
void sync_folder(const std::filesystem::path& folder);

/// Standard descriptors that the program was started without are opened, so that no file gets their numbers: every use
/// of them fails, as it would have.
void occupy_standard_descriptors();

}  // namespace attn::system
