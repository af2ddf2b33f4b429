#include "dump/folder.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>

#include <nlohmann/json.hpp>

#include "dump/file.hpp"
#include "dump/npy.hpp"
#include "dump/wrong.hpp"

namespace attn::dump {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// What a manifest of ours says; null where the file is another's, damaged or too large to be one. Lists in lists in
/// lists are not built.
json manifest_of(const fs::path& path) {
  constexpr std::int64_t largest = std::int64_t{4} << 20U;
  constexpr int deepest = 6;
  const Beginning whole = beginning_of(path, largest);
  if (whole.size > largest) {
    return nullptr;
  }
  const auto is_shallow = [](int depth, json::parse_event_t /*event*/, json& /*value*/) { return depth < deepest; };
  const json manifest = json::parse(whole.bytes, is_shallow, false);
  return manifest.is_discarded() ? json() : manifest;
}

/// The place of each file in the order of computation; none without a manifest of ours.
std::map<std::string, std::size_t> places_in_manifest(const fs::path& path) {
  std::map<std::string, std::size_t> places;
  const json manifest = manifest_of(path);
  for (const json& chapter : manifest.is_array() ? manifest : json::array({manifest})) {
    const bool is_ours = chapter.is_object() && chapter.value("tool", json()) == "attn-walkthrough";
    for (const json& step : is_ours ? chapter.value("steps", json::array()) : json::array()) {
      const json file = step.is_object() ? step.value("file", json()) : json();
      if (file.is_string()) {
        places.emplace(file.get<std::string>(), places.size());
      }
    }
  }
  return places;
}

}  // namespace

std::vector<fs::path> npy_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".npy" && entry->symlink_status().type() != fs::file_type::directory) {
      files.push_back(entry->path().lexically_relative(folder));
      check_name(files.back().string());
    }
  }
  if (error) {
    throw Wrong("it cannot be read (" + error.message() + ")", "see that it is there and readable");
  }
  if (files.empty()) {
    throw Wrong("there is no .npy file in it", "write one with numpy.save(path, array)");
  }
  const std::map<std::string, std::size_t> places = places_in_manifest(folder / "manifest.json");
  const auto place = [&](const fs::path& file) {
    const auto found = places.find(file.string());
    return std::pair(found == places.end() ? places.size() : found->second, file);
  };
  std::ranges::sort(files, {}, place);
  return files;
}

Dumped read_npy(const fs::path& path) { return parse_npy(read_file(path)); }

}  // namespace attn::dump
