#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/array.hpp"

/// Files of tensors that another program wrote: a port's dumps.
namespace attn::dump {

/// A file that cannot be read: what is wrong; what is accepted; how to go on.
struct DumpError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A tensor of somebody's dump.
struct Dumped {
  std::string name;  ///< "attn_scores", "head_1/keys": its path below the folder, or its key in the archive
  Shape shape;
  std::string dtype;           ///< as the file says: "float32", "float16", "bfloat16", "float64", "int64", "bool"
  std::vector<double> values;  ///< row-major; integers beyond 2^53 are rounded
  std::optional<std::int64_t> head = {};  ///< of attention, from 0: what its name certainly says
};

/// Whether the path is a folder or a file of these formats: by its first bytes, or its name. False for what is not
/// there, and for pipes, which it does not touch.
bool is_dump(const std::filesystem::path& path);

/// What a file says of a tensor before its numbers.
struct Heading {
  std::string name;
  Shape shape;
  std::string dtype;  ///< as Dumped's
};

/// Whether a tensor is to be read. It is asked of each once; of what it does not want, no number is read or unpacked.
using Wanted = std::function<bool(const Heading&)>;
bool want_all(const Heading& heading);

/// The wanted tensors of a folder's .npy files, or of an .npy, .npz, .safetensors, .csv or JSON file. Where the folder
/// has a manifest.json that --save wrote, in its order; else by name. Throws DumpError.
std::vector<Dumped> read(const std::filesystem::path& path, const Wanted& wanted = want_all);

/// Those of a file's bytes. Throws DumpError.
std::vector<Dumped> parse(const std::filesystem::path& path, std::string_view bytes, const Wanted& wanted = want_all);

/// What read() would be asked of.
std::vector<Heading> headings(const std::filesystem::path& path);

}  // namespace attn::dump
