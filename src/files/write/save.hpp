#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>

#include "emit/form.hpp"
#include "files/write/saved.hpp"
#include "render/document.hpp"
#include "system/beside.hpp"
#include "system/place.hpp"

namespace attn::render {

/// Thrown if the folder or file cannot be written: what is wrong; what is accepted; how to go on.
struct SaveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Writes a file of all tensors.
using WriteTensors = void (*)(const Sink& sink, std::span<const ShownChapter> chapters);

/// A file of tensors; .npy and .csv hold one, that of the requested steps.
struct TensorWriter : Form {
  WriteTensors write;
};

std::span<const TensorWriter> tensor_writers();

/// The writer for the ending of a name, ignoring case; null if the name is a folder's.
const TensorWriter* tensor_writer(const std::filesystem::path& path);

/// The place of what --save writes. Throws SaveError if something exists there that may not be replaced: for a file
/// anything but a regular file, for a folder anything but an empty one or one with nothing besides what its manifest
/// lists.
system::Place accepted_place(const std::filesystem::path& path, bool may_replace);

/// Writes every tensor of the chapters' steps: to one file, or as folder/NAME.npy or folder/SECTION/NAME.npy, with
/// their descriptions as folder/manifest.json. In a folder each of several chapters has its own, and the manifest is a
/// list.
///
/// The constructor writes it beside its place, and publish() moves it there; without it everything is as before. A
/// device or a pipe is written directly.
class Saving {
 public:
  /// Throws SaveError.
  Saving(std::filesystem::path path, std::span<const ShownChapter> chapters, bool may_replace);

  /// Throws SaveError.
  void publish();
  /// Removes what was published, where nothing was replaced.
  void take_back() { beside_ ? beside_->take_back() : void(); }

 private:
  void write_folder(std::span<const ShownChapter> chapters) const;

  std::filesystem::path path_;
  bool may_replace_;
  std::optional<system::Beside> beside_;
};

}  // namespace attn::render
