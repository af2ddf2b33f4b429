#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "verify/read/cursor.hpp"
#include "verify/read/printed.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {

/// Returns true if a list that begins after the text, on the same line, may stand alone: not an index, an argument, a
/// JSON value or, in a comment, a part of a statement.
bool may_begin_list(std::string_view before, Zone zone);

/// Reads lists without a name in a program's output: Python's [[0.43, 0.15], [0.55, 0.87]] and numpy's [[0.43 0.15]
/// [0.55 0.87]]. Empty if they look like sizes, ids or an interval. The cursor is at the first bracket.
std::optional<Printed> read_list(std::string_view page, std::size_t begin, Cursor& cursor, bool in_output);

}  // namespace attn::verify
