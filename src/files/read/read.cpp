#include "files/read/read.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <system_error>

#include <nlohmann/json.hpp>

#include "files/read/formats.hpp"

namespace attn::files {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Returns true if each number is of the size that programs compute with, or fills what is hidden.
bool are_usual(const std::vector<double>& numbers) {
  constexpr double most = 1e18;
  const double fill = std::min(*std::ranges::min_element(numbers), -1e4);
  return std::ranges::all_of(numbers, [&](double x) {
    return x == 0 || x == fill || !std::isfinite(x) || (std::abs(x) < most && std::abs(x) > 1 / most);
  });
}

struct Format {
  const char* ending;
  std::vector<Dumped> (*parse)(const Bytes& bytes, const std::string& name, const Wanted& wanted);
};
constexpr Format formats[] = {
    {".npy", parse_npy},   {".npz", parse_npz}, {".safetensors", parse_safetensors},
    {".json", parse_json}, {".csv", parse_csv}, {".tsv", parse_csv},
    {".bin", parse_raw},   {".pt", parse_npz},  {".pth", parse_npz},  // what torch.save writes is refused by name
};

const Format* format_of(const fs::path& path) {
  const auto* const found =
      std::ranges::find_if(formats, [&](const Format& format) { return has_extension(path, format.ending); });
  return found == std::end(formats) ? nullptr : found;
}

std::vector<Dumped> parse_file(const fs::path& path, const Bytes& bytes, const Wanted& wanted) {
  const Format* const format = format_of(path);
  if (format == nullptr) {
    throw Wrong("it is not a tensor file that can be read", "write one with numpy.savez(path, keys=keys)");
  }
  return format->parse(bytes, path.stem().string(), wanted);
}

/// Lists every .npy file below a folder, or if it has none every .csv, .tsv or .bin file, as relative paths: first in
/// the order of a manifest.json written by --save, then by name. Links to folders are not followed. Throws Wrong.
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

}  // namespace

std::vector<Dumped> one_if_wanted(Dumped tensor, const Wanted& wanted) {
  check_name(tensor.name);
  const bool is_wanted = wanted({tensor.name, tensor.shape, tensor.dtype});
  return is_wanted ? std::vector<Dumped>{std::move(tensor)} : std::vector<Dumped>();
}

std::vector<Dumped> parse_raw(const Bytes& bytes, const std::string& name, const Wanted& wanted) {
  if (bytes.size() == 0 || bytes.size() % sizeof(float) != 0) {
    throw Wrong("it has " + std::to_string(bytes.size()) + " bytes, and no float32 numbers",
                "write one with array.tofile(path)");
  }
  const auto read = [&](const std::string& type) {
    return numbers_of(bytes, 0, bytes.size(), encoding_of(&Encoding::name, type));
  };
  std::vector<double> numbers = read("float32");
  std::string dtype = "float32";
  if (bytes.size() % sizeof(double) == 0 && !are_usual(numbers)) {
    std::vector<double> wide = read("float64");
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
  return type == fs::file_type::directory || (type == fs::file_type::regular && format_of(path) != nullptr);
}

std::vector<std::string> files_of_manifest(const fs::path& folder) try {
  constexpr std::size_t largest = std::size_t{64} << 20U;
  constexpr int deepest = 6;
  const Bytes bytes(folder / manifest_name);
  const auto is_shallow = [](int depth, json::parse_event_t /*event*/, json& /*value*/) { return depth < deepest; };
  const json manifest = json::parse(bytes.piece(0, std::min(bytes.size(), largest)), is_shallow, false);
  std::vector<std::string> files;
  for (const json& chapter : manifest.is_array() ? manifest : json::array({manifest})) {
    const bool is_ours = chapter.is_object() && chapter.value("tool", json()) == "attn-walkthrough";
    const json steps = is_ours ? chapter.value("steps", json()) : json();
    for (const json& step : steps.is_array() ? steps : json::array()) {
      files.push_back(step.is_object() ? step.value("file", "") : "");
    }
  }
  return files;
} catch (const Wrong&) {
  return {};
} catch (const json::type_error&) {  // a file that is no text
  return {};
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
