#include "files/read.hpp"

#include "files/file.hpp"
#include "files/folder.hpp"
#include "files/formats.hpp"
#include "files/wrong.hpp"

namespace attn::files {

namespace fs = std::filesystem;

bool is_dump(const fs::path& path) {
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  return type == fs::file_type::directory ||
         (type == fs::file_type::regular &&
          (format_of_name(path) || format_of_bytes(beginning_of(path, bytes_that_tell))));
}

bool want_all(const Heading&) { return true; }

std::vector<Dumped> parse(const fs::path& path, std::string_view bytes, const Wanted& wanted) {
  return naming(path, [&] { return parse_file(path, Bytes(bytes), wanted); });
}

std::vector<Dumped> read(const fs::path& path, const Wanted& wanted) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    return naming(path, [&] { return parse_file(path, Bytes(path), wanted); });
  }
  const std::vector<fs::path> files = naming(path, [&] { return tensor_files(path); });
  std::vector<Dumped> tensors;
  for (const fs::path& file : files) {
    const std::string name = fs::path(file).replace_extension().generic_string();
    const auto as_named = [&](const Heading& heading) { return wanted({name, heading.shape, heading.dtype}); };
    for (Dumped& tensor : naming(path / file, [&] { return parse_file(path / file, Bytes(path / file), as_named); })) {
      tensor.name = name;
      tensors.push_back(std::move(tensor));
    }
  }
  return tensors;
}

std::vector<Heading> headings(const fs::path& path) {
  std::vector<Heading> found;
  read(path, [&](const Heading& heading) {
    found.push_back(heading);
    return false;
  });
  return found;
}

}  // namespace attn::files
