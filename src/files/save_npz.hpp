#pragma once

#include "files/saved.hpp"

namespace attn::render {

/// As numpy.savez writes it: a zip archive of stored NAME.npy. The same tensors give the same bytes. Where
/// nothing can be overwritten, it needs the memory of the largest tensor once more.
void write_npz(const Target& target, std::span<const ShownChapter> chapters);

}  // namespace attn::render
