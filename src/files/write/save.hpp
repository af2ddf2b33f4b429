#pragma once

#include <span>
#include <stdexcept>

#include "emit/form.hpp"
#include "files/file.hpp"
#include "render/document.hpp"
#include "system/place.hpp"

namespace attn::render {

/// Receives the next bytes of the output.
using Sink = std::function<void(std::string_view)>;

/// A tensor that --save writes.
struct SavedTensor {
  std::string name;  ///< "attn_scores", "head_1/keys"; with several chapters "multihead/head_1/keys"
  const Step* step;
};

/// The tensors in order of computation.
std::vector<SavedTensor> saved_tensors(std::span<const ShownChapter> chapters);

/// For one chapter, the members of `about` and the steps, each with its description and `place_key` (place_of its
/// name); for several, a list of these.
nlohmann::ordered_json manifest_of(std::span<const ShownChapter> chapters, const std::string& place_key,
                                   const std::function<std::string(const std::string& name)>& place_of);

/// How files spell the type of a tensor's numbers.
const files::Encoding& saved_encoding(const Tensor& tensor);

/// The header of an .npy file for these numbers, in numpy's format 1.0.
std::string npy_header(const Tensor& tensor);

/// Passes on the numbers, row-major and little-endian, a bool in one byte; in parts if the tensor depends on large
/// ones. The bytes are valid only during the call of `use`.
void stream_bytes(const Tensor& tensor, const Sink& use);

/// Writes a file as numpy.savez does: a zip archive of stored NAME.npy. The same tensors give the same bytes. Numbers
/// that are computed in parts are computed twice: their checksum stands before them.
void write_npz(const Sink& sink, std::span<const ShownChapter> chapters);

/// Writes a .safetensors file. Its header names the tensors in order of computation; their numbers are ordered by
/// element size, largest first, so each is aligned without gaps. __metadata__ holds the tool, the chapter and the
/// lesson's options, and the steps as "manifest" unless that is too long.
void write_safetensors(const Sink& sink, std::span<const ShownChapter> chapters);

/// Write the only tensor of the requested steps.
void write_one_npy(const Sink& sink, std::span<const ShownChapter> chapters);
void write_one_csv(const Sink& sink, std::span<const ShownChapter> chapters);

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
