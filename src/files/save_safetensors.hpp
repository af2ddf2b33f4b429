#pragma once

#include "files/saved.hpp"

namespace attn::render {

/// A .safetensors file: its header names the tensors in order of computation; their numbers stand by the size of their
/// elements, the largest first, so that each is aligned without a gap. __metadata__ tells the tool, the chapter and the
/// lesson's options, and as "manifest" the steps, where that is not long.
void write_safetensors(const Target& target, std::span<const ShownChapter> chapters);

}  // namespace attn::render
