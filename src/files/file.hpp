#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace attn::dump {

/// All bytes of a regular file. Those of a large one are where the system has them, and no copy.
class FileBytes {
 public:
  /// Refuses pipes and devices, which might never end. Throws Wrong.
  explicit FileBytes(const std::filesystem::path& path);
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes();

  std::string_view view() const { return view_; }

 private:
  std::string copy_;
  std::string_view view_;
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
