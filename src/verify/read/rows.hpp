#pragma once

#include <cstddef>
#include <optional>

#include "verify/read/cursor.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// A tensor's nested lists as printed.
struct Rows {
  Printed printed;      ///< what the lists say of it
  std::size_t end = 0;  ///< behind the last bracket or number
  bool sound = true;    ///< every bracket is there, commas are everywhere or nowhere, and nothing else
  bool has_commas = false;
  bool has_blanks = false;  ///< and nothing else between numbers
};

/// Reads the lists that begin at the cursor's [, also where brackets or commas are lost; nothing where they are part
/// of a program, have no numbers or too many axes. The cursor then stands at what was not expected.
std::optional<Rows> read_rows(Cursor& cursor);

}  // namespace attn::verify
