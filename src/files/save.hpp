#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>

#include "files/saved.hpp"
#include "render/document.hpp"
#include "system/place.hpp"
#include "system/writers.hpp"

namespace attn::render {

/// The folder or file cannot be written: what is wrong; what is accepted; how to go on.
struct SaveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where the folder is to be. Throws SaveError where something is there already that may not be replaced: anything but
/// an empty folder, and one with what its manifest lists and no more.
system::Place accepted_folder(const std::filesystem::path& folder, bool may_replace);

/// Every tensor of a chapter's steps as folder/NAME.npy, or folder/SECTION/NAME.npy, and what they are as
/// folder/manifest.json. Of several chapters each has a folder of its own in it, and the manifest is a list.
///
/// The constructor writes them into another folder, publish() gives it its name, and finish() takes away what had the
/// name; without them, and where something fails, all is as it was.
class Saving {
 public:
  /// Throws SaveError.
  Saving(const std::filesystem::path& folder, std::span<const ShownChapter> chapters, bool may_replace,
         const Written& written = {});

  /// Throws SaveError.
  void publish();
  /// What of a replaced folder cannot be taken away, and stays beside it: empty where nothing.
  std::filesystem::path finish() { return writer_.finish(); }

 private:
  std::filesystem::path folder_;
  bool may_replace_;
  system::FolderWriter writer_;
};

}  // namespace attn::render
