#include "files/folder.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "files/elements.hpp"
#include "files/file.hpp"
#include "files/manifest.hpp"
#include "files/wrong.hpp"

namespace attn::files {

namespace fs = std::filesystem;

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
