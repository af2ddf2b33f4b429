#pragma once

#include <filesystem>

#include "files/saved.hpp"

namespace attn::render {

/// Whether a file of this name holds one tensor.
bool holds_one_tensor(const std::filesystem::path& path);

/// The only tensor of the steps that are asked for.
void write_one_csv(const Target& target, std::span<const ShownChapter> chapters);

}  // namespace attn::render
