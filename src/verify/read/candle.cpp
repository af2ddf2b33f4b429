#include "verify/read/candle.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "text/numbers.hpp"
#include "verify/read/number_style.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t longest_type = 128;

/// The sizes in "[6, 2]" at a text's start, which is taken; nothing where it is no list of sizes.
std::optional<Shape> take_sizes(std::string_view& text) {
  const std::size_t end = text.find(']');
  if (!text.starts_with('[') || end == npos) {
    return std::nullopt;
  }
  std::string_view list = text.substr(1, end - 1);
  Shape sizes;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(", "), list.size());
    const auto size = text::number_of<std::int64_t>(list.substr(0, comma));
    if (!size || *size < 0) {
      return std::nullopt;
    }
    sizes.push_back(*size);
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  text.remove_prefix(end + 1);
  return sizes;
}

/// Takes Candle's "f32]" or "f32, cuda:0]".
bool take_type(std::string_view& text) {
  const auto is_part = [](char c) { return is_name_part(c) || c == ':' || c == ',' || c == ' '; };
  const auto end = std::ranges::find_if_not(text, is_part);
  constexpr auto types =
      std::to_array<std::string_view>({"bf16", "f16", "f32", "f64", "i16", "i32", "i64", "u8", "u32"});
  const std::string begin = text::lower(text.substr(0, 4));
  const bool known = std::ranges::any_of(types, [&](std::string_view type) { return begin.starts_with(type); });
  if (!known || end == text.end() || *end != ']') {
    return false;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.begin()) + 1);
  return true;
}

}  // namespace

std::optional<Shape> read_candle_type(Cursor& cursor) {
  const std::size_t at = cursor.at();
  cursor.skip();
  constexpr std::string_view head = "Tensor[";
  std::string_view text = cursor.rest().substr(0, longest_type);
  const std::size_t size = text.size();
  if (text.starts_with(head)) {
    text.remove_prefix(head.size());
    std::optional<Shape> shape = take_sizes(text);
    if (shape && text.starts_with(", ")) {
      text.remove_prefix(2);
      if (take_type(text)) {
        cursor.advance(size - text.size());
        return shape;
      }
    }
  }
  cursor.go_back(at);
  return std::nullopt;
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
