#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace attn::files {

inline constexpr const char* manifest_name = "manifest.json";

/// The files that a manifest written by --save lists, in its order. Empty if there is no manifest, or if it is another
/// program's, damaged, or too large or too deep to be one of ours.
std::vector<std::string> files_of_manifest(const std::filesystem::path& folder);

/// Lists every .npy file below a folder, or if it has none every .csv, .tsv or .bin file, as relative paths: first in
/// the order of a manifest.json written by --save, then by name. Links to folders are not followed. Throws Wrong.
std::vector<std::filesystem::path> tensor_files(const std::filesystem::path& folder);

}  // namespace attn::files
