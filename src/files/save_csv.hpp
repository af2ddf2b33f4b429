#pragma once

#include <filesystem>

#include "files/saved.hpp"

namespace attn::render {

/// Returns true if a file with this name holds one tensor.
bool holds_one_tensor(const std::filesystem::path& path);

/// Writes the only tensor of the requested steps.
void write_one_csv(const Target& target, std::span<const ShownChapter> chapters);

}  // namespace attn::render
