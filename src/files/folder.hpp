#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "files/read.hpp"

namespace attn::files {

/// Lists every .npy file below a folder, as relative paths: first in the order of a manifest.json written by --save,
/// then by name. Links to folders are not followed. Throws Wrong.
std::vector<std::filesystem::path> npy_files(const std::filesystem::path& folder);

/// Appends the tensor of one of these files, if it is wanted. Throws Wrong.
void read_npy(const std::filesystem::path& path, const std::string& name, const Wanted& wanted,
              std::vector<Dumped>& tensors);

}  // namespace attn::files
