#pragma once

#include <cstddef>
#include <string_view>

#include "files/elements.hpp"
#include "files/read.hpp"

namespace attn::files {

/// The contents of an .npy header (numpy.lib.format).
struct NpyHeader {
  Element element;
  bool fortran_order;
  Shape shape;
  std::size_t size;  ///< in bytes: everything before the numbers
};

inline constexpr std::string_view npy_magic = "\x93NUMPY";
/// The largest header that numpy.load reads.
inline constexpr std::size_t largest_npy_header = 10'000 + 12;

/// Parses the header at the beginning of a file's bytes. Throws Wrong.
NpyHeader parse_npy_header(std::string_view bytes);

/// Reads the tensor, without a name. Throws Wrong.
Dumped parse_npy(const Bytes& bytes);
/// Reads a file's header. Throws Wrong.
NpyHeader npy_header_of(const Bytes& bytes);

}  // namespace attn::files
