#include "verify/read/libtorch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "text/ascii.hpp"
#include "text/numbers.hpp"
#include "verify/read/cell.hpp"
#include "verify/read/number_style.hpp"
#include "verify/read/pieces.hpp"
#include "verify/read/sizes.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t longest_type = 160;
constexpr std::size_t widest_margin = 64;
constexpr std::string_view margin_signs = " \t#>|*/";

/// The type line below a printed tensor.
struct Type {
  Shape shape;
  bool is_bool = false;
  std::string_view grad_fn;
  std::size_t size = 0;  ///< of its text
};

/// Reads "[ CPUFloatType{6,3} ]", and R's addition "[ grad_fn = <MmBackward0> ]".
std::optional<Type> read_type(std::string_view text) {
  text = text.substr(0, longest_type);
  text = text.substr(0, text.find('\n'));
  const std::size_t length = text.size();
  const std::size_t brace = text.find('{');
  if (!text.starts_with("[ ") || brace == npos) {
    return std::nullopt;
  }
  const std::string_view name = without_trailing(text.substr(2, brace - 2), "]");
  Type type;
  text.remove_prefix(brace);
  std::optional<Shape> shape = name.ends_with("Type") ? take_sizes(text, "{", "}") : std::nullopt;
  if (!shape || !text.starts_with(" ]")) {
    return std::nullopt;
  }
  text.remove_prefix(2);
  type.shape = std::move(*shape);
  type.is_bool = name.find("Bool") != npos;
  for (std::size_t end = text.find(']'); text.starts_with("[ ") && end != npos; end = text.find(']')) {
    constexpr std::string_view grad_fn = "grad_fn = <";
    const std::string_view fact = text.substr(2, end - 2);
    const std::string_view value = fact.starts_with(grad_fn) ? fact.substr(grad_fn.size()) : std::string_view();
    type.grad_fn = value.empty() ? type.grad_fn : value.substr(0, value.find_first_of(" >"));
    text.remove_prefix(end + 1);
  }
  type.size = length - text.size();
  return type;
}

/// A line above the type.
struct Line {
  enum class Kind { row, heading, blank, other };

  Kind kind = Kind::other;
  std::size_t begin = 0;   ///< offset on the page, after the margin
  std::size_t column = 0;  ///< of the first number, if stated
  double factor = 0;       ///< 0 if none is stated
  Shape matrix;            ///< the indices in "(1,2,.,.) =", from 1
  std::vector<Cell> cells;
};

/// Takes "Columns 7 to 12" from a text's start; returns the first column's number, from 1, or 0. A factor may follow
/// without a space, as in "Columns 1 to 100.01 *": it is a power of ten.
std::size_t take_columns(std::string_view& text) {
  constexpr std::string_view word = "Columns ";
  constexpr std::string_view to = " to ";
  const std::size_t middle = text.find(to);
  if (!text.starts_with(word) || middle == npos) {
    return 0;
  }
  const auto column = text::number_of<std::size_t>(text.substr(word.size(), middle - word.size()));
  const std::string_view rest = text.substr(middle + to.size());
  const std::string_view last = rest.substr(0, rest.find(' '));
  std::size_t size = last.size();
  if (without_indent(rest.substr(size)).starts_with('*')) {
    const std::size_t point = last.find_first_of(".e");
    size = point == npos ? last.rfind('1') : std::max<std::size_t>(point, 1) - 1;
  }
  if (!column || size == npos) {
    return 0;
  }
  text = without_indent(rest.substr(size));
  return *column;
}

/// Takes "0.01 *" from a text's start; returns 0 if there is none.
double take_factor(std::string_view& text) {
  const std::string_view word = text.substr(0, cell_length(text));
  const std::string_view after = without_indent(text.substr(word.size()));
  const std::optional<Cell> cell = after.starts_with('*') ? parse_cell(word) : std::nullopt;
  if (!cell || !(cell->value > 0) || !std::isfinite(cell->value)) {
    return 0;
  }
  text = without_indent(after.substr(1));
  return cell->value;
}

/// The indices in "(1,2,.,.) ="; empty if it is not such a heading.
Shape matrix_of(std::string_view text) {
  const std::optional<Shape> indices = take_sizes(text, "(", ",.,.) =");
  return indices && text.empty() ? *indices : Shape{};
}

Line read_line(std::string_view page, std::size_t begin, std::size_t end, std::size_t most_cells) {
  Line line;
  std::string_view text = without_trailing(page.substr(begin, end - begin), " \t\r|");
  const std::size_t margin = std::min(text.find_first_not_of(margin_signs), text.size());
  line.begin = begin + margin;
  text.remove_prefix(margin);
  if (text.empty()) {
    line.kind = Line::Kind::blank;
    return line;
  }
  line.matrix = matrix_of(text);
  if (!line.matrix.empty()) {
    line.kind = Line::Kind::heading;
    return line;
  }
  line.column = take_columns(text);
  line.factor = take_factor(text);
  line.kind = line.column > 0 || line.factor > 0 ? Line::Kind::heading : Line::Kind::other;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, cell_length(text));
    const std::optional<Cell> cell = parse_cell(word);
    const bool ends = word.size() == text.size() || text[word.size()] == ' ';
    if (!cell || !ends || line.cells.size() == most_cells) {
      line.kind = Line::Kind::other;
      return line;
    }
    line.cells.push_back(*cell);
    text = without_indent(text.substr(word.size()));
  }
  line.kind = line.cells.empty() ? line.kind : Line::Kind::row;
  return line;
}

/// The lines that may belong to the tensor, in order.
std::vector<Line> lines_above(std::string_view page, std::size_t from, std::size_t end, std::size_t count) {
  std::vector<Line> lines;
  std::size_t numbers = 0;
  while (end > from) {
    const std::size_t before = page.substr(from, end - 1 - from).rfind('\n');
    const std::size_t begin = before == npos ? from : from + before + 1;
    Line line = read_line(page, begin, end - 1, count - std::min(count, numbers));
    if (line.kind == Line::Kind::other || (numbers == count && line.kind == Line::Kind::row)) {
      break;
    }
    numbers += line.cells.size();
    lines.push_back(std::move(line));
    end = begin;
  }
  std::ranges::reverse(lines);
  const auto first = std::ranges::find_if(lines, [](const Line& line) { return line.kind != Line::Kind::blank; });
  lines.erase(lines.begin(), first);
  return lines;
}

/// The position of a matrix in the shape; empty if the shape does not have it.
std::optional<std::size_t> position_of(const Shape& matrix, const Shape& shape) {
  std::size_t position = 0;
  if (matrix.size() + 2 != shape.size()) {
    return std::nullopt;
  }
  for (std::size_t axis = 0; axis < matrix.size(); ++axis) {
    if (matrix[axis] < 1 || matrix[axis] > shape[axis]) {
      return std::nullopt;
    }
    position = position * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(matrix[axis] - 1);
  }
  return position;
}

/// Arranges the lines' numbers; false if they do not match the type.
bool arrange(const std::vector<Line>& lines, const Shape& shape, std::vector<Cell>& cells) {
  const std::size_t rank = shape.size();
  const std::size_t width = rank < 2 ? 1 : static_cast<std::size_t>(shape[rank - 1]);
  const std::size_t height = rank < 2 ? cells.size() : static_cast<std::size_t>(shape[rank - 2]);
  std::vector<bool> filled(cells.size(), false);
  std::size_t matrix = 0;
  std::size_t row = 0;
  std::size_t column = 0;
  for (const Line& line : lines) {
    if (!line.matrix.empty()) {
      const std::optional<std::size_t> position = position_of(line.matrix, shape);
      if (!position) {
        return false;
      }
      matrix = *position;
    }
    if (!line.matrix.empty() || line.column > 0) {
      row = 0;
      column = line.column > 0 ? line.column - 1 : 0;
    }
    if (line.cells.empty()) {
      continue;
    }
    if (row >= height || column >= width || line.cells.size() > width - column) {
      return false;
    }
    const std::size_t at = (matrix * height + row) * width + column;
    std::ranges::copy(line.cells, cells.begin() + static_cast<std::ptrdiff_t>(at));
    std::fill_n(filled.begin() + static_cast<std::ptrdiff_t>(at), line.cells.size(), true);
    ++row;
  }
  return std::ranges::all_of(filled, [](bool is) { return is; });
}

void scale(std::vector<Cell>& cells, double factor) {
  for (Cell& cell : cells) {
    cell.value *= factor;
    cell.unit *= factor;
  }
}

/// The product of the sizes; 0 if it exceeds `most`.
std::size_t count_of(const Shape& shape, std::size_t most) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) {
    const auto one = static_cast<std::size_t>(size);
    count = one > 0 && count <= most / one ? count * one : 0;
  }
  return count;
}

/// Includes R's heading if it is above the first line.
std::size_t with_heading(std::string_view page, std::size_t from, std::size_t begin) {
  constexpr std::string_view heading = "torch_tensor";
  const std::string_view before = without_trailing(page.substr(from, begin - from), " \t\n#>|");
  return before.ends_with(heading) ? from + before.size() - heading.size() : begin;
}

}  // namespace

std::optional<Printed> read_libtorch(std::string_view page, std::size_t from, std::size_t bracket) {
  const std::optional<Type> type = read_type(page.substr(bracket));
  const std::size_t count = type ? count_of(type->shape, page.size()) : 0;
  const std::string_view before = page.substr(0, bracket);
  const std::string_view margin = before.substr(before.size() - std::min(before.size(), widest_margin));
  const std::size_t line_end = margin.rfind('\n');
  if (count == 0 || line_end == npos || margin.find_first_not_of(margin_signs, line_end + 1) != npos) {
    return std::nullopt;
  }
  const std::size_t line_begin = bracket - margin.size() + line_end + 1;
  std::vector<Line> lines = lines_above(page, from, line_begin, count);
  std::vector<Cell> seen;
  double factor = 0;
  for (Line& line : lines) {
    factor = line.factor > 0 ? line.factor : line.matrix.empty() ? factor : 0;
    set_units(line.cells, NumberStyle::fixed);
    scale(line.cells, factor > 0 ? factor : 1);
    seen.insert(seen.end(), line.cells.begin(), line.cells.end());
  }
  if (seen.empty()) {
    return std::nullopt;
  }
  Printed printed;
  printed.cells.resize(seen.size() == count ? count : 0);
  printed.ragged = seen.size() != count || !arrange(lines, type->shape, printed.cells);
  if (printed.ragged) {
    printed.cells = std::move(seen);
  }
  const std::size_t begin = with_heading(page, from, lines.front().begin);
  printed.text = page.substr(begin, bracket + type->size - begin);
  printed.shape = type->shape;
  printed.shown_before_gap.assign(printed.shape.size(), -1);
  printed.is_bool = type->is_bool;
  printed.grad_fn = type->grad_fn;
  return printed;
}

}  // namespace attn::verify
