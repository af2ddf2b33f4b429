// Runs a target on files, without a fuzzer: replay TARGET FILE_OR_FOLDER...
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <vector>

#include "targets.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) {
    return {path};
  }
  const fs::directory_iterator entries(path);
  std::vector<fs::path> files(begin(entries), end(entries));
  std::sort(files.begin(), files.end());
  return files;
}

void replay(const attn::fuzz::Target& target, const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  file.exceptions(std::ios::badbit | std::ios::failbit);
  std::vector<char> bytes(static_cast<std::size_t>(fs::file_size(path)));  // no byte more, so that sanitizers see its end
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  target.run({bytes.data(), bytes.size()});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  const auto target = std::ranges::find(attn::fuzz::targets, name, &attn::fuzz::Target::name);
  if (target == attn::fuzz::targets.end()) {
    std::cerr << "replay: there is no target '" << name << "'\n";
    return 2;
  }
  std::size_t count = 0;
  for (int i = 2; i < argc; ++i) {
    for (const fs::path& path : files_of(argv[i])) {
      std::cout << path.string() << std::endl;  // the last one that is named is the one that fails
      replay(*target, path);
      ++count;
    }
  }
  return count > 0 ? 0 : 1;
}
