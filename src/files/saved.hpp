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

/// Takes the next bytes of what is written.
using Sink = std::function<void(std::string_view)>;

/// Where a file's bytes go.
struct Target {
  Sink append;
  /// Writes over bytes that were appended; empty where that cannot be done, as in a pipe.
  std::function<void(std::uint64_t offset, std::string_view bytes)> overwrite = {};
};

/// Is told how many bytes more of what is saved are written.
using Written = std::function<void(std::size_t bytes)>;

/// A tensor of those that --save writes.
struct SavedTensor {
  std::string name;  ///< "attn_scores", "head_1/keys"; of several chapters "multihead/head_1/keys"
  const Step* step;
};

/// In order of computation.
std::vector<SavedTensor> saved_tensors(std::span<const ShownChapter> chapters);

/// Of one chapter what `about` tells and its steps, each with `place_key` (place_of its name) besides what it is; of
/// several a list of those.
nlohmann::ordered_json manifest_of(std::span<const ShownChapter> chapters, const std::string& place_key,
                                   const std::function<std::string(const std::string& name)>& place_of);

/// What an .npy file of these numbers begins with: numpy's format 1.0.
std::string npy_header(const Tensor& tensor);

/// The bytes of all tensors' numbers.
std::int64_t bytes_saved(std::span<const ShownChapter> chapters);

/// The numbers, row-major and little-endian, a bool in one byte; those of a tensor that is made from large ones a part
/// at a time. `use` gets them while they are there.
void stream_bytes(const Tensor& tensor, const Sink& use);

}  // namespace attn::render
