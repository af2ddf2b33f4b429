#pragma once

#include <cstddef>
#include <string_view>

#include "verify/read/cursor.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// What stands behind a tensor's numbers.
struct Suffix {
  std::size_t end = 0;     ///< behind the last thing that belongs to the tensor
  bool closed = false;     ///< the closing parenthesis is there
  bool new_line = false;   ///< what follows the tensor is on another line
  std::string_view dtype;  ///< "float32", "torch.float64"; points into the page's text
};

/// Reads ", grad_fn=<AddBackward0>", "dtype=torch.float64" and the like up to the closing parenthesis. What they say
/// goes to `printed`.
Suffix read_suffix(Cursor& cursor, Printed& printed);

/// Reads an Nx tensor's "f32[6][3]" and its backend; false where there is no type. The sizes go to `shape`.
bool read_nx_type(Cursor& cursor, Shape& shape);

}  // namespace attn::verify
