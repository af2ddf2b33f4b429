#pragma once

#include <set>

#include <nlohmann/json_fwd.hpp>

#include "files/file.hpp"
#include "files/read/read.hpp"

/// The formats of files of tensors. Each function reads the wanted tensors of a file, and throws Wrong. `name` is the
/// file's, for a tensor that has none.
namespace attn::files {

/// The largest header that numpy.load reads.
inline constexpr std::size_t largest_npy_header = 10'000 + 12;

/// The contents of an .npy header (numpy.lib.format).
struct NpyHeader {
  const Encoding* encoding;
  bool fortran_order;
  Shape shape;
  std::size_t size;  ///< in bytes: everything before the numbers
};

/// Parses the header at the beginning of a file of this size. Throws Wrong, also if it declares another size.
NpyHeader npy_header(std::string_view beginning, std::size_t file_size);
std::vector<Dumped> parse_npy(const Bytes& bytes, const std::string& name, const Wanted& wanted);

/// Reads a zip archive of .npy files of up to 4 GiB, in the archive's order; other files in it are ignored. All headers
/// are read, and the arrays' total size is computed, before any array is unpacked.
std::vector<Dumped> parse_npz(const Bytes& bytes, const std::string& name, const Wanted& wanted);

/// A tensor in a .safetensors file: its numbers are `size` bytes from `begin` on.
struct Placed {
  std::string name;
  const Encoding* encoding;
  Shape shape;
  std::uint64_t begin;
  std::uint64_t size;
};

/// The tensors of a .safetensors file, in its header's order. Reads no numbers. Throws Wrong.
std::vector<Placed> safetensors_contents(const Bytes& bytes);
std::vector<Dumped> parse_safetensors(const Bytes& bytes, const std::string& name, const Wanted& wanted);

/// Reads JSON: of what attn-walkthrough wrote, as SECTION/NAME, or with several chapters as CHAPTER/SECTION/NAME; of
/// other objects each nested list of numbers by its keys, "layer/keys"; a list alone, by the name given. NaN and
/// Infinity may stand as Python writes them; null, which JavaScript writes for what is not finite, is -inf.
std::vector<Dumped> parse_json(const Bytes& bytes, const std::string& name, const Wanted& wanted);

/// Reads a JSON file of a model, which must be an object, without the values under keys that are left out. Throws
/// Wrong.
nlohmann::json json_object(const std::filesystem::path& path, const std::set<std::string>& left_out = {});

/// Reads a matrix: each line is a row of numbers separated by commas, semicolons, tabs or spaces, as in the first row.
/// Empty lines and lines that start with # are ignored. A first line as attn-walkthrough writes it, "# keys: float32
/// [2, 6, 3]", states the name, the dtype and the shape.
std::vector<Dumped> parse_csv(const Bytes& bytes, const std::string& name, const Wanted& wanted);

/// Reads numbers one after the other, with no shape: float32, or float64 where only these are usual numbers.
std::vector<Dumped> parse_raw(const Bytes& bytes, const std::string& name, const Wanted& wanted);

inline constexpr const char* manifest_name = "manifest.json";

/// The files that a manifest written by --save lists, in its order. Empty if there is no manifest, or if it is another
/// program's, damaged, or too large or too deep to be one of ours.
std::vector<std::string> files_of_manifest(const std::filesystem::path& folder);

/// The tensor alone, if it has a good name and is wanted.
std::vector<Dumped> one_if_wanted(Dumped tensor, const Wanted& wanted);

}  // namespace attn::files
