#pragma once

#include "files/saved.hpp"

namespace attn::render {

/// Writes a file as numpy.savez does: a zip archive of stored NAME.npy. The same tensors give the same bytes. If the
/// target cannot be overwritten, it needs additional memory of the largest tensor's size.
void write_npz(const Target& target, std::span<const ShownChapter> chapters);

}  // namespace attn::render
