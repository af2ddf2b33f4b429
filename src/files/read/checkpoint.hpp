#pragma once

#include <map>

#include "files/file.hpp"
#include "files/read/formats.hpp"
#include "tensor/array.hpp"

namespace attn::files {

/// A model's tensors, in one .safetensors file or in several with an index.
class Checkpoint {
 public:
  /// Opens a .safetensors file, an index of several (model.safetensors.index.json), or a folder that has either. Reads
  /// no numbers. Throws DumpError.
  explicit Checkpoint(const std::filesystem::path& path);

  /// The names of all tensors.
  std::vector<std::string> names() const;
  /// The file that has the tensor.
  const std::filesystem::path& file_of(const std::string& name) const { return files_.at(name); }
  /// The folder of its files.
  const std::filesystem::path& folder() const { return folder_; }

  /// What the file says of a tensor. Opens no other file. Throws DumpError.
  Heading heading(const std::string& name);
  /// The tensor's numbers as float32, which has each float16 and bfloat16. Throws DumpError, also for numbers that are
  /// not finite.
  Block<float> numbers(const std::string& name);
  /// The same of the tensor's rows [begin, end), the items of its first axis. Reads no others.
  Block<float> rows(const std::string& name, std::int64_t begin, std::int64_t end);

 private:
  struct Opened {
    explicit Opened(const std::filesystem::path& path) : bytes(path), tensors(safetensors_contents(bytes)) {}

    Bytes bytes;
    std::vector<Placed> tensors;
  };
  void open_single(const std::filesystem::path& path);
  void open_index(const std::filesystem::path& path);
  const Opened& opened(const std::filesystem::path& path);
  const Placed& placed(const std::string& name);
  /// The numbers from the `first` on, as many as the shape has.
  Block<float> numbers(const std::string& name, const Shape& shape, std::size_t first);

  std::filesystem::path folder_;
  std::map<std::string, std::filesystem::path> files_;  ///< by the names of their tensors
  std::map<std::filesystem::path, std::unique_ptr<Opened>> opened_;
};

/// What a JSON file says: its numbers and words by key, those of an object or a list within it as "rope_scaling.factor"
/// and "layer_types.0". True is 1, False is 0, null is left out.
struct Settings {
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> words;
};

/// Reads a model's config.json. Throws DumpError.
Settings read_settings(const std::filesystem::path& path);

}  // namespace attn::files
