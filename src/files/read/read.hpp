#pragma once

#include <functional>
#include <initializer_list>
#include <string_view>

#include "files/wrong.hpp"
#include "tensor/array.hpp"

/// Reads tensor files that another program wrote, such as a port's dumps.
namespace attn::files {

/// Numbers that do not change and that copies share: one in memory, however many results speak of them. They may be
/// read when they are first asked for.
class SharedNumbers {
 public:
  using Read = std::function<SharedNumbers()>;

  SharedNumbers() : SharedNumbers(std::vector<double>()) {}
  // NOLINTNEXTLINE(google-explicit-constructor): they are these numbers
  SharedNumbers(std::vector<double> numbers)
      : stored_(std::make_shared<Stored>(Stored{std::make_shared<const std::vector<double>>(std::move(numbers)), {}})) {
  }
  SharedNumbers(std::initializer_list<double> numbers) : SharedNumbers(std::vector<double>(numbers)) {}
  /// Numbers that are not in memory until they are asked for.
  explicit SharedNumbers(Read read) : stored_(std::make_shared<Stored>(Stored{nullptr, std::move(read)})) {}

  // NOLINTNEXTLINE(google-explicit-constructor): they are these numbers
  operator const std::vector<double>&() const { return numbers(); }
  std::size_t size() const { return numbers().size(); }
  bool empty() const { return numbers().empty(); }
  const double* data() const { return numbers().data(); }
  auto begin() const { return numbers().begin(); }
  auto end() const { return numbers().end(); }
  double operator[](std::size_t i) const { return numbers()[i]; }
  bool operator==(const SharedNumbers& other) const { return stored_ == other.stored_ || numbers() == other.numbers(); }
  bool operator==(const std::vector<double>& other) const { return numbers() == other; }

 private:
  struct Stored {
    std::shared_ptr<const std::vector<double>> numbers;
    Read read;
  };

  const std::vector<double>& numbers() const {
    if (stored_->numbers == nullptr) {
      stored_->numbers = stored_->read().stored_->numbers;
    }
    return *stored_->numbers;
  }

  std::shared_ptr<Stored> stored_;
};

/// A tensor from a file.
struct Dumped {
  std::string name;  ///< "attn_scores", "head_1/keys": its path below the folder, or its key in the archive
  Shape shape;
  std::string dtype;     ///< as in the file: "float32", "float16", "bfloat16", "float64", "int64", "bool"
  SharedNumbers values;  ///< row-major; integers beyond 2^53 are rounded
};

/// Returns true if the path is a folder or a file of these formats, by the end of its name. False if it does not exist,
/// and for pipes.
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
