#pragma once

#include <filesystem>
#include <vector>

#include "files/read.hpp"

namespace attn::dump {

/// Every .npy file below a folder, as paths below it: in the order of a manifest.json that --save wrote, then by name.
/// Links to folders are not followed. Throws Wrong.
std::vector<std::filesystem::path> npy_files(const std::filesystem::path& folder);

/// One of them. Throws Wrong.
Dumped read_npy(const std::filesystem::path& path);

}  // namespace attn::dump
