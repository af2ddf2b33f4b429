#include "files/formats.hpp"

#include "files/csv.hpp"
#include "files/npy.hpp"
#include "files/npz.hpp"
#include "files/safetensors.hpp"
#include "files/wrong.hpp"

namespace attn::dump {
namespace {

/// The name of a file with one tensor: that of the file.
std::vector<Dumped> named(const std::filesystem::path& path, Dumped tensor) {
  tensor.name = path.stem().string();
  check_name(tensor.name);
  return {std::move(tensor)};
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
  return std::nullopt;
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
  return has_extension(path, ".csv") ? std::optional(Format::csv) : std::nullopt;
}

std::vector<Dumped> parse_file(const std::filesystem::path& path, std::string_view bytes) {
  const Beginning beginning{static_cast<std::int64_t>(bytes.size()), std::string(bytes.substr(0, bytes_that_tell))};
  std::optional<Format> format = format_of_bytes(beginning);
  if (!format) {
    format = format_of_name(path);
  }
  if (!format) {
    throw Wrong("it is no file of tensors that can be read", "write one with numpy.savez(path, keys=keys)");
  }
  switch (*format) {
    case Format::npy: return named(path, parse_npy(bytes));
    case Format::npz: return parse_npz(bytes);
    case Format::safetensors: return parse_safetensors(bytes);
    case Format::csv: break;
  }
  return named(path, parse_csv(bytes));
}

}  // namespace attn::dump
