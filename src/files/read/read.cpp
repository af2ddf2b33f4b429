#include "files/read/read.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "files/read/folder.hpp"
#include "files/read/formats.hpp"

namespace attn::files {
namespace {

namespace fs = std::filesystem;

/// Returns true if each number is of the size that programs compute with, or fills what is hidden.
bool are_usual(const std::vector<double>& numbers) {
  constexpr double most = 1e18;
  const double fill = std::min(*std::ranges::min_element(numbers), -1e4);
  return std::ranges::all_of(numbers, [&](double x) {
    return x == 0 || x == fill || !std::isfinite(x) || (std::abs(x) < most && std::abs(x) > 1 / most);
  });
}

[[noreturn]] std::vector<Dumped> refuse_matlab(const Bytes& /*bytes*/, const std::string& /*name*/,
                                               const Wanted& /*wanted*/) {
  throw Wrong("it is a file of MATLAB or Octave", "write jsonencode(struct('keys', keys)) to keys.json with fputs");
}

/// A format of files, known by their first bytes or else by the end of their name.
struct Format {
  const char* ending;
  bool (*begins)(const Beginning& beginning);
  std::vector<Dumped> (*parse)(const Bytes& bytes, const std::string& name, const Wanted& wanted);
};

bool never(const Beginning& /*beginning*/) { return false; }
bool begins_as_npy(const Beginning& beginning) { return beginning.bytes.starts_with(npy_magic); }
bool begins_as_zip(const Beginning& beginning) {
  return beginning.bytes.starts_with("PK\x03\x04") || beginning.bytes.starts_with("PK\x05\x06");
}
bool begins_as_matlab(const Beginning& beginning) {
  return beginning.bytes.starts_with("MATLAB 5.0") || beginning.bytes.starts_with("# Created by Octave");
}

constexpr Format formats[] = {
    {".npy", begins_as_npy, parse_npy},
    {".npz", begins_as_zip, parse_npz},
    {".safetensors", looks_like_safetensors, parse_safetensors},
    {".mat", begins_as_matlab, refuse_matlab},
    {".json", looks_like_json, parse_json},
    {".csv", never, parse_csv},
    {".tsv", never, parse_csv},
    {".bin", never, parse_raw},
};

const Format* format_of(const fs::path& path, const Beginning& beginning) {
  const auto* found = std::ranges::find_if(formats, [&](const Format& format) { return format.begins(beginning); });
  if (found == std::end(formats)) {
    found = std::ranges::find_if(formats, [&](const Format& format) { return has_extension(path, format.ending); });
  }
  return found == std::end(formats) ? nullptr : found;
}

std::vector<Dumped> parse_file(const fs::path& path, const Bytes& bytes, const Wanted& wanted) {
  const Format* const format =
      format_of(path, {static_cast<std::int64_t>(bytes.size()), bytes.piece(0, bytes_that_tell)});
  if (format == nullptr) {
    throw Wrong("it is not a tensor file that can be read", "write one with numpy.savez(path, keys=keys)");
  }
  return format->parse(bytes, path.stem().string(), wanted);
}

}  // namespace

std::vector<Dumped> one_if_wanted(Dumped tensor, const Wanted& wanted) {
  check_name(tensor.name);
  const bool is_wanted = wanted({tensor.name, tensor.shape, tensor.dtype});
  return is_wanted ? std::vector<Dumped>{std::move(tensor)} : std::vector<Dumped>();
}

std::string text_of(const Bytes& bytes) {
  check_memory(static_cast<std::int64_t>(bytes.size()));
  return bytes.piece(0, bytes.size());
}

std::vector<Dumped> parse_raw(const Bytes& bytes, const std::string& name, const Wanted& wanted) {
  const auto read = [&](int size) { return numbers_of(bytes, 0, bytes.size(), {Element::Kind::floating, size}); };
  if (bytes.size() == 0 || bytes.size() % sizeof(float) != 0) {
    throw Wrong("it has " + std::to_string(bytes.size()) + " bytes, and no float32 numbers",
                "write one with array.tofile(path)");
  }
  std::vector<double> numbers = read(sizeof(float));
  std::string dtype = "float32";
  if (bytes.size() % sizeof(double) == 0 && !are_usual(numbers)) {
    std::vector<double> wide = read(sizeof(double));
    if (are_usual(wide)) {
      numbers = std::move(wide);
      dtype = "float64";
    }
  }
  const Shape shape = {std::ssize(numbers)};
  return one_if_wanted({name, shape, dtype, SharedNumbers(std::move(numbers))}, wanted);
}

bool is_dump(const fs::path& path) {
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  return type == fs::file_type::directory ||
         (type == fs::file_type::regular && format_of(path, beginning_of(path, bytes_that_tell)) != nullptr);
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
