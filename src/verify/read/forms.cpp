#include "verify/read/forms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "verify/read/cell.hpp"
#include "verify/read/number_style.hpp"
#include "verify/read/rows.hpp"
#include "verify/read/suffix.hpp"

namespace attn::verify {
namespace {

constexpr std::string_view operators = "*+/%@";

/// Returns true if a cell is written like `10`, as an argument of a call such as array(10).
bool is_whole(const Cell& cell) { return cell.text.find_first_not_of("0123456789") == std::string_view::npos; }

void set_end(Printed& printed, std::string_view page, std::size_t begin, std::size_t end, bool closed) {
  printed.text = page.substr(begin, end - begin);
  printed.missing_parenthesis = !closed;
}

/// Ends the text after its closing bracket or, if that is missing, at the cursor.
void close(Printed& printed, std::string_view page, std::size_t begin, Cursor& cursor, char bracket) {
  const std::size_t end = cursor.at();
  cursor.skip();
  const bool closed = cursor.peek() == bracket;
  cursor.advance(closed ? 1 : 0);
  set_end(printed, page, begin, closed ? cursor.at() : end, closed);
}

/// The nested lists at the cursor, with units of the last visible digits.
std::optional<Printed> read_lists(Cursor& cursor) {
  std::optional<Rows> rows = read_rows(cursor);
  if (!rows) {
    return std::nullopt;
  }
  cursor.go_back(rows->end);
  return std::move(rows->printed);
}

/// The single number at the cursor.
std::optional<Printed> read_number(Cursor& cursor) {
  const std::string_view word = cursor.rest().substr(0, cell_length(cursor.rest()));
  const std::optional<Cell> cell = parse_cell(word);
  if (!cell) {
    return std::nullopt;
  }
  cursor.advance(word.size());
  Printed printed;
  printed.cells.push_back(*cell);
  printed.is_bool = is_truth(*cell);
  return printed;
}

std::optional<Printed> read_scalar(std::string_view page, std::size_t begin, Cursor& cursor, bool may_be_whole,
                                   Suffix& suffix) {
  std::optional<Printed> printed = read_number(cursor);
  if (!printed) {
    return std::nullopt;
  }
  suffix = read_suffix(cursor, *printed);
  const bool breaks_off = suffix.new_line || cursor.at_end();
  if ((!suffix.closed && (!breaks_off || cursor.peek() == ',')) ||
      (is_whole(printed->cells.front()) && !may_be_whole && suffix.dtype.empty())) {
    return std::nullopt;
  }
  set_end(*printed, page, begin, suffix.end, suffix.closed);
  return printed;
}

/// A single whole number, as in array(10), is not output unless `may_be_whole`.
std::optional<Printed> read_any(std::string_view page, std::size_t begin, Cursor& cursor, bool may_be_whole,
                                Suffix& suffix) {
  cursor.skip();
  if (cursor.peek() != '[') {
    return read_scalar(page, begin, cursor, may_be_whole, suffix);
  }
  std::optional<Printed> printed = read_lists(cursor);
  if (!printed) {
    return std::nullopt;
  }
  suffix = read_suffix(cursor, *printed);
  const bool in_sum = !cursor.at_end() && operators.find(cursor.peek()) != std::string_view::npos;
  if (!suffix.closed && !suffix.new_line && in_sum) {
    return std::nullopt;
  }
  set_end(*printed, page, begin, suffix.end, suffix.closed);
  return printed;
}

/// The number of visible decimals of the cell; -1 if it cannot have any, as in 1e-05 or inf.
std::ptrdiff_t decimals(const Cell& cell) {
  const std::size_t point = cell.text.find('.');
  if (cell.unit <= 0 || cell.text.find_first_of("eE") != std::string_view::npos) {
    return -1;
  }
  return point == std::string_view::npos ? 0 : std::ssize(cell.text) - static_cast<std::ptrdiff_t>(point) - 1;
}

/// Returns true if the floats in an array(...) are MLX's. MLX drops points as well as trailing zeros, and unlike numpy
/// it does not replace them with spaces.
bool is_mlx(const Printed& printed, std::string_view page) {
  std::ptrdiff_t most = 0;
  for (const Cell& cell : printed.cells) {
    most = std::max(most, decimals(cell));
  }
  const auto is_unlike_numpy = [&](const Cell& cell) {
    const std::ptrdiff_t own = decimals(cell);
    const auto begin = static_cast<std::size_t>(cell.text.data() - page.data());
    const std::string_view after = page.substr(begin + cell.text.size());
    const bool without_point = own == 0 && cell.text.find('.') == std::string_view::npos;
    return without_point || (own >= 0 && own < most && (after.starts_with(',') || after.starts_with(']')));
  };
  return printed.shape.empty() || std::ranges::any_of(printed.cells, is_unlike_numpy);
}

/// The sizes in a torch.Size; -1 for a number that cannot be a size.
Shape sizes_of(const std::vector<Cell>& cells) {
  Shape sizes;
  for (const Cell& cell : cells) {
    constexpr double largest = 9e15;
    const bool possible = cell.value >= 0 && cell.value < largest && cell.value == std::floor(cell.value);
    sizes.push_back(possible ? static_cast<std::int64_t>(cell.value) : -1);
  }
  return sizes;
}

}  // namespace

std::optional<Printed> read_tensor(std::string_view page, std::size_t begin, Cursor& cursor) {
  cursor.skip();
  const bool in_prose = page.substr(begin).starts_with("tensor (") && cursor.peek() != '[';
  if (in_prose) {
    return std::nullopt;
  }
  Suffix suffix;
  std::optional<Printed> printed = read_any(page, begin, cursor, true, suffix);
  if (printed) {
    set_units(printed->cells, NumberStyle::fixed);
  }
  return printed;
}

std::optional<Printed> read_array(std::string_view page, std::size_t begin, Cursor& cursor) {
  Suffix suffix;
  std::optional<Printed> printed = read_any(page, begin, cursor, false, suffix);
  if (printed) {
    const bool is_float = suffix.dtype.find("float") != std::string_view::npos;
    set_units(printed->cells, is_float && is_mlx(*printed, page) ? NumberStyle::significant : NumberStyle::trimmed);
  }
  return printed;
}

std::optional<Printed> read_typed_array(std::string_view page, std::size_t begin, Cursor& cursor) {
  Suffix suffix;
  std::optional<Printed> printed = read_any(page, begin, cursor, false, suffix);
  if (!printed || suffix.dtype.empty()) {
    return std::nullopt;
  }
  set_units(printed->cells, NumberStyle::trimmed);
  return printed;
}

std::optional<Printed> read_tensorflow(std::string_view page, std::size_t begin, Cursor& cursor) {
  constexpr std::size_t longest = 256;
  constexpr std::string_view value = "numpy=";
  const std::string_view rest = cursor.rest().substr(0, longest);
  const std::size_t at = rest.substr(0, rest.find_first_of(">\n")).find(value);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  cursor.advance(at + value.size());
  cursor.skip();
  constexpr std::string_view array = "array(";
  Suffix suffix;
  std::optional<Printed> printed;
  if (cursor.rest().starts_with(array)) {
    cursor.advance(array.size());
    printed = read_any(page, begin, cursor, true, suffix);
  } else {
    printed = read_number(cursor);
  }
  if (printed) {
    set_units(printed->cells, NumberStyle::trimmed);
    const bool closed = suffix.closed || printed->shape.empty();
    close(*printed, page, begin, cursor, '>');
    printed->missing_parenthesis = printed->missing_parenthesis || !closed;
  }
  return printed;
}

std::optional<Printed> read_numpy_scalar(std::string_view page, std::size_t begin, Cursor& cursor) {
  std::optional<Printed> printed = read_number(cursor);
  if (!printed || cursor.peek() != ')') {
    return std::nullopt;
  }
  close(*printed, page, begin, cursor, ')');
  set_units(printed->cells, NumberStyle::trimmed);
  return printed;
}

std::optional<Printed> read_size(std::string_view page, std::size_t begin, Cursor& cursor) {
  cursor.skip();
  std::optional<Printed> printed = cursor.peek() == '[' ? read_lists(cursor) : std::nullopt;
  if (!printed || printed->shape.size() != 1 || printed->shown_before_gap.front() >= 0) {
    return std::nullopt;
  }
  printed->kind = Printed::Kind::size;
  set_units(printed->cells, NumberStyle::fixed);
  printed->shape = sizes_of(printed->cells);
  printed->shown_before_gap.assign(printed->shape.size(), -1);
  close(*printed, page, begin, cursor, ')');
  return printed;
}

std::optional<Printed> read_nx_tensor(std::string_view page, std::size_t begin, Cursor& cursor) {
  Shape declared;
  if (!read_nx_type(cursor, declared)) {
    return std::nullopt;
  }
  cursor.skip();
  std::optional<Printed> printed = cursor.peek() == '[' ? read_lists(cursor) : read_number(cursor);
  if (!printed) {
    return std::nullopt;
  }
  printed->ragged = printed->ragged || (!has_gap(*printed) && printed->shape != declared);
  set_units(printed->cells, NumberStyle::trimmed);
  close(*printed, page, begin, cursor, '>');
  return printed;
}

}  // namespace attn::verify
