#pragma once

#include <cstddef>
#include <string_view>

#include "verify/read/cursor.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// The text after a tensor's numbers.
struct Suffix {
  std::size_t end = 0;     ///< after the last thing that belongs to the tensor
  bool closed = false;     ///< the closing parenthesis is present
  bool new_line = false;   ///< the text after the tensor is on another line
  std::string_view dtype;  ///< "float32", "torch.float64"; points into the page's text
};

/// Reads ", grad_fn=<AddBackward0>", "dtype=torch.float64" and the like up to the closing parenthesis, and stores them
/// in `printed`.
Suffix read_suffix(Cursor& cursor, Printed& printed);

/// Reads an Nx tensor's "f32[6][3]" and its backend; false if there is no type. Stores the sizes in `shape`.
bool read_nx_type(Cursor& cursor, Shape& shape);

}  // namespace attn::verify
