#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tensor/array.hpp"
#include "verify/read/cursor.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// A tensor's nested lists as printed.
struct Rows {
  Shape shape;
  std::vector<Cell> cells;
  std::vector<std::int64_t> shown_before_gap;
  bool ragged = false;
  std::size_t end = 0;  ///< behind the last bracket or number
};

/// The length of "np.float32(" at a text's start, which newer numpys print before a number in a list; 0 elsewhere.
std::size_t scalar_type_length(std::string_view text);

/// Reads the lists that begin at the cursor's [, also where brackets or commas are lost; nothing where they are part
/// of a program, have no numbers or too many axes. The cursor then stands at what was not expected.
std::optional<Rows> read_rows(Cursor& cursor);

}  // namespace attn::verify
