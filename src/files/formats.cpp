#include "files/formats.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "files/csv.hpp"
#include "files/elements.hpp"
#include "files/json.hpp"
#include "files/npy.hpp"
#include "files/npz.hpp"
#include "files/safetensors.hpp"
#include "files/wrong.hpp"

namespace attn::files {
namespace {

/// The name of a file's only tensor.
std::string name_of(const std::filesystem::path& path) {
  std::string name = path.stem().string();
  check_name(name);
  return name;
}

/// Returns true if each number is of the size that programs compute with, or fills what is hidden.
bool are_usual(const std::vector<double>& numbers) {
  constexpr double most = 1e18;
  const double fill = std::min(*std::ranges::min_element(numbers), -1e4);
  return std::ranges::all_of(numbers, [&](double x) {
    return x == 0 || x == fill || !std::isfinite(x) || (std::abs(x) < most && std::abs(x) > 1 / most);
  });
}

/// Numbers one after the other, with no shape: float32, or float64 where only these are usual numbers.
Dumped parse_raw(const Bytes& bytes) {
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
  return {"", {std::ssize(numbers)}, dtype, SharedNumbers(std::move(numbers))};
}

}  // namespace

std::optional<Format> format_of_bytes(const Beginning& beginning) {
  if (beginning.bytes.starts_with(npy_magic)) {
    return Format::npy;
  }
  if (looks_like_npz(beginning.bytes)) {
    return Format::npz;
  }
  if (looks_like_safetensors(beginning.bytes, beginning.size)) {
    return Format::safetensors;
  }
  if (beginning.bytes.starts_with("MATLAB 5.0") || beginning.bytes.starts_with("# Created by Octave")) {
    return Format::matlab;
  }
  return looks_like_json(beginning.bytes) ? std::optional(Format::json) : std::nullopt;
}

std::optional<Format> format_of_name(const std::filesystem::path& path) {
  constexpr std::pair<const char*, Format> endings[] = {
      {".npy", Format::npy},   {".npz", Format::npz},   {".safetensors", Format::safetensors},
      {".json", Format::json}, {".csv", Format::csv},   {".tsv", Format::csv},
      {".bin", Format::raw},   {".mat", Format::matlab}};
  const auto* const found =
      std::ranges::find_if(endings, [&](const auto& ending) { return has_extension(path, ending.first); });
  return found == std::end(endings) ? std::nullopt : std::optional(found->second);
}

std::vector<Dumped> parse_file(const std::filesystem::path& path, const Bytes& bytes, const Wanted& wanted) {
  const Beginning beginning{static_cast<std::int64_t>(bytes.size()), bytes.piece(0, bytes_that_tell)};
  std::optional<Format> format = format_of_bytes(beginning);
  if (!format) {
    format = format_of_name(path);
  }
  if (!format) {
    throw Wrong("it is not a tensor file that can be read", "write one with numpy.savez(path, keys=keys)");
  }
  const auto text = [&] {
    check_memory(static_cast<std::int64_t>(bytes.size()));
    return bytes.piece(0, bytes.size());
  };
  std::vector<Dumped> tensors;
  switch (*format) {
    case Format::npz: return parse_npz(bytes, wanted);
    case Format::safetensors: return parse_safetensors(bytes, wanted);
    case Format::json: return parse_json(text(), name_of(path), wanted);
    case Format::npy:
      if (NpyHeader header = npy_header_of(bytes);
          wanted({name_of(path), std::move(header.shape), dtype_name(header.element)})) {
        tensors.push_back(parse_npy(bytes));
        tensors.back().name = name_of(path);
      }
      break;
    case Format::matlab:
      throw Wrong("it is a file of MATLAB or Octave", "write jsonencode(struct('keys', keys)) to keys.json with fputs");
    case Format::raw:
    case Format::csv:
      tensors.push_back(*format == Format::raw ? parse_raw(bytes) : parse_csv(text()));
      tensors[0].name = tensors[0].name.empty() ? name_of(path) : tensors[0].name;
      if (!wanted({tensors[0].name, tensors[0].shape, tensors[0].dtype})) {
        tensors.clear();
      }
      break;
  }
  return tensors;
}

}  // namespace attn::files
