#pragma once

#include <filesystem>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace attn::files {

/// Reads a JSON file of a model, which must be an object, without the values under keys that are left out. Throws
/// Wrong.
nlohmann::json json_object(const std::filesystem::path& path, const std::set<std::string>& left_out = {});

}  // namespace attn::files
