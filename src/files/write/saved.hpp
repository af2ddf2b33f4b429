#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "files/elements.hpp"
#include "render/document.hpp"

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

}  // namespace attn::render
