#include "verify/read/candle.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "text/lines.hpp"
#include "verify/read/number_style.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/sizes.hpp"

namespace attn::verify {
namespace {

/// Returns true for "f32" and "f32, cuda:0".
bool is_type(std::string_view text) {
  constexpr auto types =
      std::to_array<std::string_view>({"bf16", "f16", "f32", "f64", "i16", "i32", "i64", "u8", "u32"});
  const std::string name = text::lower(text.substr(0, text.find(',')));
  return std::ranges::find(types, name) != types.end();
}

}  // namespace

std::optional<Shape> read_candle_type(Cursor& cursor) {
  constexpr std::size_t longest = 128;
  constexpr std::string_view head = "Tensor[";
  constexpr std::string_view comma = ", ";
  Cursor ahead = cursor;
  ahead.skip();
  std::string_view text = ahead.rest().substr(0, longest);
  const std::size_t size = text.size();
  if (!text.starts_with(head)) {
    return std::nullopt;
  }
  text.remove_prefix(head.size());
  std::optional<Shape> shape = take_sizes(text, "[", "]");
  const std::size_t end = text.find(']');
  if (!shape || !text.starts_with(comma) || end == npos || !is_type(text.substr(comma.size(), end - comma.size()))) {
    return std::nullopt;
  }
  cursor = ahead;
  cursor.advance(size - text.size() + end + 1);
  return shape;
}

void set_candle_shape(Printed& printed, const Shape& declared) {
  if (declared.empty() && printed.cells.size() == 1) {
    printed.shape.clear();
    printed.shown_before_gap.clear();
  }
  bool fits = printed.shape.size() == declared.size();
  for (std::size_t axis = 0; fits && axis < declared.size(); ++axis) {
    const bool gap = printed.shown_before_gap[axis] >= 0;
    fits = gap ? printed.shape[axis] < declared[axis] : printed.shape[axis] == declared[axis];
  }
  printed.ragged = printed.ragged || !fits;
  set_units(printed.cells, NumberStyle::fixed);
}

}  // namespace attn::verify
