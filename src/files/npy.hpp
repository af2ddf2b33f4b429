#pragma once

#include <cstddef>
#include <string_view>

#include "files/elements.hpp"
#include "files/read.hpp"

namespace attn::dump {

/// What an .npy file says of its numbers (numpy.lib.format).
struct NpyHeader {
  Element element;
  bool fortran_order;
  Shape shape;
  std::size_t size;  ///< in bytes: all that comes before the numbers
};

inline constexpr std::string_view npy_magic = "\x93NUMPY";
/// A header larger than this, numpy.load does not read either.
inline constexpr std::size_t largest_npy_header = 10'000 + 12;

/// Of the bytes that a file begins with. Throws Wrong.
NpyHeader parse_npy_header(std::string_view bytes);

/// The tensor, without a name. Throws Wrong.
Dumped parse_npy(const Bytes& bytes);
/// The header of a file. Throws Wrong.
NpyHeader npy_header_of(const Bytes& bytes);

}  // namespace attn::dump
