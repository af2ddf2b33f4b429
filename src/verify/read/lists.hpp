#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "verify/read/cursor.hpp"
#include "verify/read/printed.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {

/// Whether a list that begins behind the text, on the same line, may stand for itself: no index, no argument, no
/// value of JSON and, in a comment, no part of a statement.
bool may_begin_list(std::string_view before, Zone zone);

/// Lists without a name: Candle's, with Tensor[[6, 2], f32] behind them; and, where a program's output stands,
/// Python's [[0.43, 0.15], [0.55, 0.87]] and numpy's [[0.43 0.15] [0.55 0.87]]. Nothing where they look like sizes, ids
/// or an interval. The cursor stands at the first bracket.
std::optional<Printed> read_list(std::string_view page, std::size_t begin, Cursor& cursor, bool in_output);

}  // namespace attn::verify
