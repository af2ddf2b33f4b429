#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "system/descriptor.hpp"

namespace attn::files {

/// The bytes of a regular file, which stays open, or of memory.
class Bytes {
 public:
  /// Opens a file. Rejects pipes and devices, which might never end. Throws Wrong.
  explicit Bytes(const std::filesystem::path& path);
  /// Wraps bytes in memory, which must outlive this object.
  explicit Bytes(std::string_view bytes) : view_(bytes), size_(bytes.size()) {}
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  std::size_t size() const { return size_; }
  /// Copies `count` bytes to `to`. All reading functions throw Wrong if the file can no longer be read or has become
  /// shorter.
  void read(std::size_t position, char* to, std::size_t count) const;
  /// Returns at most `count` bytes; fewer at the end.
  std::string piece(std::size_t position, std::size_t count) const;
  /// Passes on `count` bytes in pieces, each a multiple of 8 bytes except the last.
  void each_piece(std::size_t position, std::size_t count,
                  const std::function<void(std::string_view piece)>& use) const;

 private:
  std::string_view view_;
  std::size_t size_ = 0;
  system::Descriptor file_;
};

/// A file's size and first bytes; empty if it cannot be read.
struct Beginning {
  std::int64_t size = 0;
  std::string bytes;
};
Beginning beginning_of(const std::filesystem::path& path, std::size_t count);

/// Returns true if the name has that extension (".npy"), ignoring case.
bool has_extension(const std::filesystem::path& path, std::string_view extension);

/// Throws Wrong if that many bytes cannot be allocated.
void check_memory(std::int64_t bytes);

/// Throws Wrong if the name is empty, has unprintable characters, or is a path that leads elsewhere: "../keys",
/// "a//keys". Names of ONNX nodes begin with /.
void check_name(std::string_view name);

}  // namespace attn::files
