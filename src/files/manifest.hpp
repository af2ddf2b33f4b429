#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace attn::dump {

inline constexpr const char* manifest_name = "manifest.json";

/// The files that a folder's manifest lists, in its order, where --save wrote it; none where there is no manifest, or
/// it is another's, damaged, or too large or too deep to be one of ours.
std::vector<std::string> files_of_manifest(const std::filesystem::path& folder);

}  // namespace attn::dump
