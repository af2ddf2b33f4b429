#include "files/folder.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "files/elements.hpp"
#include "files/file.hpp"
#include "files/manifest.hpp"
#include "files/npy.hpp"
#include "files/wrong.hpp"

namespace attn::files {

namespace fs = std::filesystem;

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

void read_npy(const fs::path& path, const std::string& name, const Wanted& wanted, std::vector<Dumped>& tensors) {
  const Bytes bytes(path);
  NpyHeader header = npy_header_of(bytes);
  if (wanted({name, std::move(header.shape), dtype_name(header.element)})) {
    tensors.push_back(parse_npy(bytes));
    tensors.back().name = name;
  }
}

}  // namespace attn::files
