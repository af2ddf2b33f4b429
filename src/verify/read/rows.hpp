#pragma once

#include <cstddef>
#include <optional>

#include "verify/read/cursor.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// A tensor's nested lists as printed.
struct Rows {
  Printed printed;      ///< what the lists determine
  std::size_t end = 0;  ///< after the last bracket or number
  bool sound = true;    ///< all brackets are present, commas are everywhere or nowhere, and nothing else is there
  bool has_commas = false;
  bool has_blanks = false;  ///< only blanks separate numbers
};

/// Reads the lists that begin at the cursor's [, even if brackets or commas are missing. Empty if they are part of a
/// program, or have no numbers or too many axes; the cursor is then at what was not expected.
std::optional<Rows> read_rows(Cursor& cursor);

}  // namespace attn::verify
