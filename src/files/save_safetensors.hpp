#pragma once

#include "files/saved.hpp"

namespace attn::render {

/// Writes a .safetensors file. Its header names the tensors in order of computation; their numbers are ordered by
/// element size, largest first, so each is aligned without gaps. __metadata__ holds the tool, the chapter and the
/// lesson's options, and the steps as "manifest" unless that is too long.
void write_safetensors(const Target& target, std::span<const ShownChapter> chapters);

}  // namespace attn::render
