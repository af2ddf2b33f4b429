#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>

#include "files/saved.hpp"
#include "render/document.hpp"
#include "system/place.hpp"
#include "system/writers.hpp"

namespace attn::render {

/// Thrown if the folder or file cannot be written: what is wrong; what is accepted; how to go on.
struct SaveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The place of the folder. Throws SaveError if something exists there that may not be replaced: anything but an empty
/// folder or one with nothing besides what its manifest lists.
system::Place accepted_folder(const std::filesystem::path& folder, bool may_replace);

/// Writes every tensor of a chapter's steps as folder/NAME.npy or folder/SECTION/NAME.npy, and their descriptions as
/// folder/manifest.json. With several chapters, each has its own subfolder, and the manifest is a list.
///
/// The constructor writes to another folder, publish() renames it, and finish() removes the folder it replaced. Without
/// these calls, or after a failure, everything is as before.
class Saving {
 public:
  /// Throws SaveError.
  Saving(const std::filesystem::path& folder, std::span<const ShownChapter> chapters, bool may_replace,
         const Written& written = {});

  /// Throws SaveError.
  void publish();
  /// Returns the part of a replaced folder that cannot be removed and stays beside the new one; empty if there is none.
  std::filesystem::path finish() { return writer_.finish(); }

 private:
  std::filesystem::path folder_;
  bool may_replace_;
  system::FolderWriter writer_;
};

}  // namespace attn::render
