#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "files/saved.hpp"
#include "system/place.hpp"
#include "system/writers.hpp"

namespace attn::render {

/// A file of all tensors.
using WriteTensors = void (*)(const Target& target, std::span<const ShownChapter> chapters);

/// The one for a name that ends in .npz, .safetensors or, for one tensor, .csv, in whatever case; null where the name
/// is a folder's.
WriteTensors tensor_file_writer(const std::filesystem::path& path);

/// Where the file is to be. Throws SaveError where something is there already that may not be replaced: anything but a
/// plain file.
system::Place accepted_file(const std::filesystem::path& path, bool may_replace);

/// Every tensor of the chapters' steps in one file, likewise: the constructor writes it beside its place, publish()
/// gives it its name, and finish() takes away what had the name; without them, and where something fails, all is as it
/// was. A device or a pipe gets it from the constructor.
class FileSaving {
 public:
  /// Throws SaveError.
  FileSaving(const std::filesystem::path& path, std::span<const ShownChapter> chapters, bool may_replace,
             const Written& told = {});

  /// Throws SaveError.
  void publish();
  /// What of a replaced file cannot be taken away, and stays beside it: empty where nothing.
  std::filesystem::path finish();

 private:
  std::filesystem::path path_;
  bool may_replace_;
  std::optional<system::RevocableFileWriter> writer_;
};

}  // namespace attn::render
