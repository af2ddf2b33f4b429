// What the tests of dumps share: files, and what is said of them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include <doctest/doctest.h>

#include "files/read.hpp"

namespace dump_files {

using namespace attn;
using namespace std::string_literals;
using files::Dumped;
using files::DumpError;
namespace fs = std::filesystem;

inline std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.is_open());
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string fixture(const std::string& name) { return bytes_of(fs::path(ATTN_DUMPS_DIR) / name); }

/// What is said of a file's bytes; "" where they can be read.
inline std::string complaint(const std::string& name, const std::string& bytes) {
  try {
    files::parse(name, bytes);
    return "";
  } catch (const DumpError& error) {
    return error.what();
  }
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Element i is i / 4 - 1, as in make_dumps.py.
inline std::vector<double> ramp(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<double>(i) / 4 - 1);
  }
  return values;
}

/// A folder that is gone with it.
class DumpFolder {
 public:
  DumpFolder() {
    std::string name = (fs::temp_directory_path() / "attn-dump-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  DumpFolder(const DumpFolder&) = delete;
  DumpFolder& operator=(const DumpFolder&) = delete;
  ~DumpFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

inline std::string safetensors_of(const std::string& header, std::size_t data) {
  std::string length(8, '\0');
  for (std::size_t i = 0; i < length.size(); ++i) {
    length[i] = static_cast<char>(header.size() >> 8U * i);
  }
  return length + header + std::string(data, '\0');
}

}  // namespace dump_files
