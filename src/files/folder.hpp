#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "files/read.hpp"

namespace attn::dump {

/// Every .npy file below a folder, as paths below it: in the order of a manifest.json that --save wrote, then by name.
/// Links to folders are not followed. Throws Wrong.
std::vector<std::filesystem::path> npy_files(const std::filesystem::path& folder);

/// Appends the tensor of one of them, if it is wanted. Throws Wrong.
void read_npy(const std::filesystem::path& path, const std::string& name, const Wanted& wanted,
              std::vector<Dumped>& tensors);

}  // namespace attn::dump
