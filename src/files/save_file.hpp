#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "files/saved.hpp"
#include "system/place.hpp"
#include "system/writers.hpp"

namespace attn::render {

/// Writes a file of all tensors.
using WriteTensors = void (*)(const Target& target, std::span<const ShownChapter> chapters);

/// The writer for names that end in .npz, .safetensors or, for one tensor, .csv, ignoring case; null if the name is a
/// folder's.
WriteTensors tensor_file_writer(const std::filesystem::path& path);

/// The place of the file. Throws SaveError if something exists there that may not be replaced: anything but a regular
/// file.
system::Place accepted_file(const std::filesystem::path& path, bool may_replace);

/// Writes every tensor of the chapters' steps to one file: the constructor writes it beside its place, publish()
/// renames it, and finish() removes the file it replaced. Without these calls, or after a failure, everything is as
/// before. The constructor writes to a device or a pipe directly.
class FileSaving {
 public:
  /// Throws SaveError.
  FileSaving(const std::filesystem::path& path, std::span<const ShownChapter> chapters, bool may_replace,
             const Written& told = {});

  /// Throws SaveError.
  void publish();
  /// Returns the replaced file if it cannot be removed and stays beside the new one; empty otherwise.
  std::filesystem::path finish();

 private:
  std::filesystem::path path_;
  bool may_replace_;
  std::optional<system::RevocableFileWriter> writer_;
};

}  // namespace attn::render
