#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/file.hpp"
#include "tensor/array.hpp"

namespace attn::files {

/// The encoding of a number in a file.
struct Element {
  enum class Kind { boolean, signed_integer, unsigned_integer, floating, brain_floating };

  Kind kind;
  int size;  ///< in bytes: 1, 2, 4 or 8; for floating 2, 4 or 8
  bool big_endian = false;
};

/// An encoding's name in PyTorch, and how the formats spell it.
struct Encoding {
  std::string_view name;         ///< "float32"
  std::string_view numpy;        ///< "f4", without the order of bytes; empty if numpy has none
  std::string_view safetensors;  ///< "F32"
  Element element;
};

/// The encoding with that spelling, such as &Encoding::numpy; null if there is none.
const Encoding* find_encoding(std::string_view Encoding::*spelling, std::string_view word);

/// "float16", "bfloat16", "uint8", "bool"
std::string dtype_name(const Element& element);

/// The size of a tensor in bytes. Throws Wrong if it or the number of elements does not fit into 63 bits, or if there
/// are more than 64 axes.
std::int64_t byte_count(const Shape& shape, const Element& element);

/// The number that at most 8 bytes are, the lowest first.
std::uint64_t little_endian(std::string_view bytes);
/// The same number as bytes.
std::string little_endian_bytes(std::uint64_t number, std::size_t size);

/// Appends each number as a double, exactly except for integers beyond 2^53.
void append_numbers(std::string_view bytes, const Element& element, std::vector<double>& values);

/// Decodes the numbers in `size` bytes from `begin` on. Throws Wrong if there is too little memory.
std::vector<double> numbers_of(const Bytes& bytes, std::size_t begin, std::size_t size, const Element& element);

/// Converts numbers from Fortran's order, in which the first axis varies fastest, to row-major order.
std::vector<double> row_major(const std::vector<double>& values, const Shape& shape);

}  // namespace attn::files
