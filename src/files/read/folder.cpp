#include "files/read/folder.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "files/file.hpp"
#include "files/wrong.hpp"

namespace attn::files {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Reads a manifest; null if the file cannot be one of ours. Deeply nested lists are not built.
json manifest_of(const fs::path& path) {
  constexpr std::int64_t largest = std::int64_t{64} << 20U;
  constexpr int deepest = 6;
  std::error_code ignored;
  if (fs::symlink_status(path, ignored).type() != fs::file_type::regular) {
    return nullptr;
  }
  const std::int64_t size = beginning_of(path, 0).size;
  if (size > largest) {
    return nullptr;
  }
  const auto is_shallow = [](int depth, json::parse_event_t /*event*/, json& /*value*/) { return depth < deepest; };
  const json manifest = json::parse(beginning_of(path, static_cast<std::size_t>(size)).bytes, is_shallow, false);
  return manifest.is_discarded() ? json() : manifest;
}

bool has_text(const json& object, const char* key) { return object.contains(key) && object[key].is_string(); }

}  // namespace

std::vector<std::string> files_of_manifest(const fs::path& folder) {
  const json manifest = manifest_of(folder / manifest_name);
  std::vector<std::string> files;
  for (const json& chapter : manifest.is_array() ? manifest : json::array({manifest})) {
    if (!chapter.is_object() || chapter.value("tool", json()) != "attn-walkthrough" || !has_text(chapter, "version") ||
        !has_text(chapter, "chapter") || !chapter.contains("steps") || !chapter["steps"].is_array()) {
      return {};
    }
    for (const json& step : chapter["steps"]) {
      if (!step.is_object() || !has_text(step, "file")) {
        return {};
      }
      files.push_back(step["file"].get<std::string>());
    }
  }
  return files;
}

std::vector<fs::path> tensor_files(const fs::path& folder) {
  std::map<std::string, std::vector<fs::path>> by_extension;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->symlink_status().type() != fs::file_type::directory) {
      by_extension[entry->path().extension().string()].push_back(entry->path().lexically_relative(folder));
    }
  }
  if (error) {
    throw Wrong("it cannot be read (" + error.message() + ")", "see that it is there and readable");
  }
  std::vector<fs::path> files;
  for (const char* const extension : {".npy", ".csv", ".tsv", ".bin"}) {
    files.empty() ? files.swap(by_extension[extension]) : void();
  }
  if (files.empty()) {
    throw Wrong("there is no .npy, .csv, .tsv or .bin file in it", "write one with numpy.save(path, array)");
  }
  std::ranges::for_each(files, [](const fs::path& file) { check_name(file.string()); });
  std::map<std::string, std::size_t> places;
  for (const std::string& file : files_of_manifest(folder)) {
    places.emplace(file, places.size());
  }
  const auto place = [&](const fs::path& file) {
    const auto found = places.find(file.string());
    return std::pair(found == places.end() ? places.size() : found->second, file);
  };
  std::ranges::sort(files, {}, place);
  return files;
}

}  // namespace attn::files
