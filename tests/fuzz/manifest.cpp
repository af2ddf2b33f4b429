#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "files/save.hpp"
#include "require.hpp"
#include "targets.hpp"

namespace attn::fuzz {
namespace {

namespace fs = std::filesystem;

/// A folder with a stranger's file, which goes with the process.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("attn-fuzz-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
    std::ofstream(path_ / "mine.npy") << "mine";
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

void manifest(std::string_view bytes) {
  static const Folder folder;
  std::ofstream(folder.path() / "manifest.json", std::ios::binary) << bytes;
  try {
    const system::Place place = render::accepted_place(folder.path(), true);
    require(place.kind == system::Place::Kind::folder, "what is replaced is the folder");
    require(bytes.find("mine.npy") != std::string_view::npos || bytes.find('\\') != std::string_view::npos,
            "a file that no manifest lists is a stranger's");
  } catch (const render::SaveError& error) {
    require_error_line(error);
  }
}

}  // namespace attn::fuzz
