#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "system/descriptor.hpp"

namespace attn::dump {

/// The bytes of a regular file, or of memory. A large file stays open, and is read piece by piece.
class Bytes {
 public:
  /// Refuses pipes and devices, which might never end. Throws Wrong.
  explicit Bytes(const std::filesystem::path& path);
  /// Bytes in memory, which must outlive this object.
  explicit Bytes(std::string_view bytes) : view_(bytes), size_(bytes.size()) {}
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  std::size_t size() const { return size_; }
  /// Copies `count` bytes to `to`. All functions that read throw Wrong if the file can no longer be read, or has become
  /// shorter.
  void read(std::size_t position, char* to, std::size_t count) const;
  /// At most `count` bytes, fewer at the end.
  std::string piece(std::size_t position, std::size_t count) const;
  /// Passes on `count` bytes, in pieces of a multiple of 8 bytes, except for the last one.
  void each_piece(std::size_t position, std::size_t count,
                  const std::function<void(std::string_view piece)>& use) const;

 private:
  void read_file(std::size_t position, char* to, std::size_t count) const;

  std::string copy_;
  std::string_view view_;
  std::size_t size_;
  system::Descriptor file_;
  mutable std::string window_;  ///< of the file: what short reads are served from
  mutable std::size_t window_begin_ = 0;
};

/// A file's size and its first bytes; those of no file where it cannot be read.
struct Beginning {
  std::int64_t size = 0;
  std::string bytes;
};
Beginning beginning_of(const std::filesystem::path& path, std::size_t count);

/// Whether the name ends in that extension (".npy"), in whatever case.
bool has_extension(const std::filesystem::path& path, std::string_view extension);

/// Throws Wrong where so many bytes are not to be had.
void check_memory(std::int64_t bytes);

/// Throws Wrong where the name is empty, has characters that are not for reading, or is a path that leads elsewhere:
/// "../keys", "a//keys". ONNX's nodes begin with /.
void check_name(std::string_view name);

}  // namespace attn::dump
