#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "files/shared_numbers.hpp"
#include "files/wrong.hpp"
#include "tensor/array.hpp"

/// Reads tensor files that another program wrote, such as a port's dumps.
namespace attn::files {

/// A tensor from a file.
struct Dumped {
  std::string name;  ///< "attn_scores", "head_1/keys": its path below the folder, or its key in the archive
  Shape shape;
  std::string dtype;     ///< as in the file: "float32", "float16", "bfloat16", "float64", "int64", "bool"
  SharedNumbers values;  ///< row-major; integers beyond 2^53 are rounded
};

/// Returns true if the path is a folder or a file of these formats, judged by its first bytes or its name. False if it
/// does not exist, and for pipes, which are not opened.
bool is_dump(const std::filesystem::path& path);

/// What a file states about a tensor before its numbers.
struct Heading {
  std::string name;
  Shape shape;
  std::string dtype;  ///< as in Dumped
};

/// Decides whether to read a tensor. Called once for each; the numbers of an unwanted tensor are neither read nor
/// unpacked.
using Wanted = std::function<bool(const Heading&)>;
bool want_all(const Heading& heading);

/// Reads the wanted tensors of a folder's .npy files, or of an .npy, .npz, .safetensors, .csv, .tsv, .json or raw .bin
/// file. If the folder has a manifest.json written by --save, its order applies, else the order of names. Throws
/// DumpError.
std::vector<Dumped> read(const std::filesystem::path& path, const Wanted& wanted = want_all);

/// Reads the wanted tensors from a file's bytes. Throws DumpError.
std::vector<Dumped> parse(const std::filesystem::path& path, std::string_view bytes, const Wanted& wanted = want_all);

/// The headings that read() would pass to `wanted`.
std::vector<Heading> headings(const std::filesystem::path& path);

}  // namespace attn::files
