#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "files/read.hpp"

namespace attn::files {

/// Lists every .npy file below a folder, or if it has none every .csv, .tsv or .bin file, as relative paths: first in
/// the order of a manifest.json written by --save, then by name. Links to folders are not followed. Throws Wrong.
std::vector<std::filesystem::path> tensor_files(const std::filesystem::path& folder);

}  // namespace attn::files
