#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "render/document.hpp"

namespace attn::render {

/// Receives the next bytes of the output.
using Sink = std::function<void(std::string_view)>;

/// The destination of a file's bytes.
struct Target {
  Sink append;
  /// Overwrites bytes that were appended; empty if that is impossible, as in a pipe.
  std::function<void(std::uint64_t offset, std::string_view bytes)> overwrite = {};
};

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

/// The header of an .npy file for these numbers, in numpy's format 1.0.
std::string npy_header(const Tensor& tensor);

/// Passes on the numbers, row-major and little-endian, a bool in one byte; in parts if the tensor depends on large
/// ones. The bytes are valid only during the call of `use`.
void stream_bytes(const Tensor& tensor, const Sink& use);

}  // namespace attn::render
