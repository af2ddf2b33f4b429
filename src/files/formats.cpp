#include "files/formats.hpp"

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
  return looks_like_json(beginning.bytes) ? std::optional(Format::json) : std::nullopt;
}

std::optional<Format> format_of_name(const std::filesystem::path& path) {
  if (has_extension(path, ".npy")) {
    return Format::npy;
  }
  if (has_extension(path, ".npz")) {
    return Format::npz;
  }
  if (has_extension(path, ".safetensors")) {
    return Format::safetensors;
  }
  if (has_extension(path, ".json")) {
    return Format::json;
  }
  return has_extension(path, ".csv") || has_extension(path, ".tsv") ? std::optional(Format::csv) : std::nullopt;
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
    case Format::csv:
      tensors.push_back(parse_csv(text()));
      tensors[0].name = tensors[0].name.empty() ? name_of(path) : tensors[0].name;
      if (!wanted({tensors[0].name, tensors[0].shape, tensors[0].dtype})) {
        tensors.clear();
      }
      break;
  }
  return tensors;
}

}  // namespace attn::files
