#pragma once

#include <string>
#include <string_view>

#include "tensor/array.hpp"

namespace attn::files {

/// An .npy file's header: a dict in Python's notation with exactly these keys.
struct NpyLiteral {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

/// Parses "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" and surrounding white space. Throws Wrong.
NpyLiteral parse_npy_literal(std::string_view text);

}  // namespace attn::files
