#pragma once

#include <functional>

#include "system/descriptor.hpp"
#include "tensor/array.hpp"

namespace attn::files {

/// The bytes of a regular file, which stays open, or of memory.
class Bytes {
 public:
  /// Opens a file. Rejects pipes and devices, which might never end. Throws Wrong.
  explicit Bytes(const std::filesystem::path& path);
  /// Wraps bytes in memory, which must outlive this object.
  explicit Bytes(std::string_view bytes) : view_(bytes), size_(bytes.size()) {}
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  std::size_t size() const { return size_; }
  /// Copies `count` bytes to `to`. All reading functions throw Wrong if the file can no longer be read or has become
  /// shorter.
  void read(std::size_t position, char* to, std::size_t count) const;
  /// Returns at most `count` bytes; fewer at the end.
  std::string piece(std::size_t position, std::size_t count) const;
  /// Passes on `count` bytes in pieces, each a multiple of 8 bytes except the last.
  void each_piece(std::size_t position, std::size_t count,
                  const std::function<void(std::string_view piece)>& use) const;

 private:
  std::string_view view_;
  std::size_t size_ = 0;
  system::Descriptor file_;
};

/// Returns true if the name has that extension (".npy"), ignoring case.
bool has_extension(const std::filesystem::path& path, std::string_view extension);

/// Throws Wrong if that many bytes cannot be allocated.
void check_memory(std::int64_t bytes);

/// Throws Wrong if the name is empty or has unprintable characters.
void check_name(std::string_view name);

/// The encoding of a number in a file, and how it is spelled.
struct Encoding {
  enum class Kind { boolean, signed_integer, unsigned_integer, floating, brain_floating };

  std::string_view name;         ///< in PyTorch: "float32"
  std::string_view numpy;        ///< "f4", without the order of bytes; empty if numpy has none
  std::string_view safetensors;  ///< "F32"
  Kind kind;
  int size;  ///< in bytes: 1, 2, 4 or 8; for floating 2, 4 or 8
};

/// The encoding with that spelling, such as &Encoding::numpy. Throws Wrong if there is none.
const Encoding& encoding_of(std::string_view Encoding::*spelling, std::string_view word);

/// The size of a tensor in bytes. Throws Wrong if it or the number of elements does not fit into 63 bits, or if there
/// are more than 64 axes.
std::int64_t byte_count(const Shape& shape, const Encoding& encoding);

/// The number that at most 8 bytes are, the lowest first.
std::uint64_t little_endian(std::string_view bytes);
/// The same number as bytes.
std::string little_endian_bytes(std::uint64_t number, std::size_t size);

/// Appends each number as a double, exactly except for integers beyond 2^53.
void append_numbers(std::string_view bytes, const Encoding& encoding, std::vector<double>& values);

/// Decodes the numbers in `size` bytes from `begin` on. Throws Wrong if there is too little memory.
std::vector<double> numbers_of(const Bytes& bytes, std::size_t begin, std::size_t size, const Encoding& encoding);

/// Converts numbers from Fortran's order, in which the first axis varies fastest, to row-major order.
std::vector<double> row_major(const std::vector<double>& values, const Shape& shape);

}  // namespace attn::files
