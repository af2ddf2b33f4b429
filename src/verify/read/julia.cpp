#include "verify/read/julia.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "text/ascii.hpp"
#include "text/numbers.hpp"
#include "verify/read/cell.hpp"
#include "verify/read/number_style.hpp"
#include "verify/read/pieces.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t longest_heading = 256;
constexpr std::size_t most_dimensions = 8;
constexpr std::int64_t none = -1;

constexpr std::string_view times = "\xc3\x97";                // ×
constexpr std::string_view vertical_dots = "\xe2\x8b\xae";    // ⋮
constexpr std::string_view diagonal_dots = "\xe2\x8b\xb1";    // ⋱
constexpr std::string_view structural_zero = "\xe2\x8b\x85";  // ⋅, outside of a triangle

/// Takes the sizes that the text begins with, "6×2 ", "6-element " or "0-dimensional "; nothing where it begins with
/// none.
std::optional<Shape> take_dimensions(std::string_view& text) {
  Shape sizes;
  while (sizes.size() < most_dimensions) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto size = text::number_of<std::int64_t>(text.substr(0, end));
    if (!size) {
      return std::nullopt;
    }
    sizes.push_back(*size);
    text.remove_prefix(end);
    if (text.starts_with(times) || text.starts_with('x')) {
      text.remove_prefix(text.front() == 'x' ? 1 : times.size());
      continue;
    }
    const std::string_view after = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(after.size() + 1, text.size()));
    if (sizes.size() > 1 && after.empty()) {
      return sizes;
    }
    if (sizes.size() == 1 && after == "-element") {
      return sizes;
    }
    return sizes == Shape{0} && after == "-dimensional" ? std::optional(Shape{}) : std::nullopt;
  }
  return std::nullopt;
}

bool is_type(std::string_view text) {
  return !text.empty() && text::is_letter(text.front()) &&
         (text.find('{') != npos || text.starts_with("BitMatrix") || text.starts_with("BitVector"));
}

bool holds_bools(std::string_view type) { return type.starts_with("Bit") || type.find("{Bool") != npos; }

/// One matrix of an array, or a vector as a column.
struct Matrix {
  std::vector<Cell> cells;  ///< row-major
  std::int64_t rows = 0;
  std::int64_t columns = none;
  std::int64_t rows_before_gap = none;
  std::int64_t columns_before_gap = none;
  bool ragged = false;
};

/// A number as Julia prints it, with an f before the exponent of a Float32: "1.5f-5"; or the ⋅ of a triangle.
std::optional<Cell> parse_julia_cell(std::string_view word) {
  if (word == structural_zero) {
    return Cell{word, 0, 0};
  }
  const std::size_t mark = word.find('f');
  const bool has_mark = mark != npos && mark > 0 && text::is_digit(word[mark - 1]);
  if (word.ends_with("NaN32") || word.ends_with("Inf32")) {
    word.remove_suffix(2);
  }
  constexpr std::size_t longest = 64;
  if (!has_mark || word.size() > longest) {
    return cell_length(word) == word.size() ? parse_cell(word) : std::nullopt;
  }
  std::string with_e(word);
  with_e[mark] = 'e';
  std::optional<Cell> cell = parse_cell(with_e);
  if (cell) {
    cell->text = word;
  }
  return cell;
}

class ArrayReader {
 public:
  ArrayReader(const JuliaHeading& heading, Cursor& cursor) : shape_(heading.shape), cursor_(cursor) {}

  /// The matrices; none where anything is missing.
  std::vector<Matrix> read() {
    std::vector<Matrix> matrices;
    if (shape_.size() <= 2) {
      cursor_.skip();
      matrices.push_back(read_matrix());
      return matrices;
    }
    while (read_slice_heading(static_cast<std::int64_t>(matrices.size()))) {
      matrices.push_back(read_matrix());
    }
    return matrices;
  }

  std::size_t end() const { return end_; }
  std::int64_t slices_before_gap() const { return slices_before_gap_; }

 private:
  /// The word at the cursor, up to a blank.
  std::string_view word() const {
    const std::string_view rest = cursor_.rest().substr(0, longest_heading);
    return rest.substr(0, rest.find_first_of(" \t\n|"));
  }

  void take(std::string_view text) {
    cursor_.advance(text.size());
    end_ = cursor_.at();
  }

  /// "[:, :, 1] =", after the dots that stand for slices.
  bool read_slice_heading(std::int64_t slices) {
    cursor_.skip();
    if (std::string_view dots = word(); dots == "..." || dots == ";;;") {
      slices_before_gap_ = slices;
      take(dots);
      cursor_.skip_spaces();
      dots = word();
      cursor_.advance(dots == "..." ? dots.size() : 0);
      cursor_.skip();
    }
    const std::string_view rest = cursor_.rest().substr(0, longest_heading);
    const std::size_t end = rest.find("] =");
    if (!rest.starts_with("[:, :, ") || end == npos || rest.substr(0, end).find('\n') != npos) {
      return false;
    }
    take(rest.substr(0, end + 3));
    cursor_.skip();
    return true;
  }

  Matrix read_matrix() {
    Matrix matrix;
    const std::int64_t most = shape_.empty() ? 1 : shape_.front();
    while (matrix.rows < most && read_row(matrix)) {
    }
    return matrix;
  }

  /// Reads a row, or the dots in place of rows; false where neither is there.
  bool read_row(Matrix& matrix) {
    std::int64_t columns = 0;
    bool dots = false;
    bool new_line = false;
    while (!new_line && !cursor_.at_end()) {
      const std::string_view text = word();
      if (text == vertical_dots || text == diagonal_dots || (dots && text == "...")) {
        dots = true;
      } else if (text == "...") {
        note_gap(matrix.columns_before_gap, columns, matrix);
      } else if (const std::optional<Cell> cell = dots ? std::nullopt : parse_julia_cell(text)) {
        matrix.cells.push_back(*cell);
        ++columns;
      } else {
        break;
      }
      take(text);
      new_line = cursor_.skip();
    }
    if (dots) {
      matrix.ragged = matrix.ragged || columns > 0;
      note_gap(matrix.rows_before_gap, matrix.rows, matrix);
      return true;
    }
    if (columns == 0) {
      return false;
    }
    matrix.ragged = matrix.ragged || (matrix.columns != none && matrix.columns != columns);
    matrix.columns = matrix.columns == none ? columns : matrix.columns;
    ++matrix.rows;
    return new_line;
  }

  static void note_gap(std::int64_t& before_gap, std::int64_t items, Matrix& matrix) {
    matrix.ragged = matrix.ragged || (before_gap != none && before_gap != items);
    before_gap = items;
  }

  const Shape& shape_;
  Cursor& cursor_;
  std::size_t end_ = 0;
  std::int64_t slices_before_gap_ = none;
};

/// Whether so many are shown of so many items.
bool fits(std::int64_t shown, std::int64_t before_gap, std::int64_t size) {
  return before_gap == none ? shown == size : shown < size;
}

/// The numbers of the matrices with the first axis slowest; of the axes behind the second, Julia counts the first
/// fastest.
std::vector<Cell> row_major(const std::vector<Matrix>& matrices, const Shape& further) {
  std::vector<std::size_t> order{0};
  std::size_t stride = 1;
  for (const std::int64_t size : further) {
    std::vector<std::size_t> longer;
    for (const std::size_t position : order) {
      for (std::int64_t i = 0; i < size; ++i) {
        longer.push_back(position + static_cast<std::size_t>(i) * stride);
      }
    }
    order = std::move(longer);
    stride *= static_cast<std::size_t>(size);
  }
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < matrices.front().cells.size(); ++i) {
    for (const std::size_t slice : order) {
      cells.push_back(matrices[slice].cells[i]);
    }
  }
  return cells;
}

bool same_layout(const Matrix& a, const Matrix& b) {
  return a.rows == b.rows && a.columns == b.columns && a.rows_before_gap == b.rows_before_gap &&
         a.columns_before_gap == b.columns_before_gap;
}

/// Puts the matrices together as one tensor; what does not fit together is ragged.
void join(const std::vector<Matrix>& matrices, const Shape& declared, std::int64_t slices_before_gap,
          Printed& printed) {
  const Matrix& first = matrices.front();
  printed.shape = declared;
  printed.shown_before_gap.assign(declared.size(), none);
  const auto slices = static_cast<std::int64_t>(matrices.size());
  if (!declared.empty()) {
    printed.shape[0] = first.rows;
    printed.shown_before_gap[0] = first.rows_before_gap;
    printed.ragged = !fits(first.rows, first.rows_before_gap, declared[0]);
  }
  if (declared.size() > 1) {
    printed.shape[1] = first.columns;
    printed.shown_before_gap[1] = first.columns_before_gap;
    printed.ragged = printed.ragged || !fits(first.columns, first.columns_before_gap, declared[1]);
  } else {
    printed.ragged = printed.ragged || first.columns != 1;
  }
  if (declared.size() == 3) {
    printed.shape[2] = slices;
    printed.shown_before_gap[2] = slices_before_gap;
    printed.ragged = printed.ragged || !fits(slices, slices_before_gap, declared[2]);
  }
  std::int64_t product = 1;
  for (std::size_t axis = 2; axis < printed.shape.size() && product <= slices; ++axis) {
    product *= printed.shape[axis];
  }
  const auto fits_first = [&](const Matrix& matrix) { return !matrix.ragged && same_layout(matrix, first); };
  printed.ragged = printed.ragged || product != slices || !std::ranges::all_of(matrices, fits_first);
  if (!printed.ragged) {
    const auto further = std::min<std::ptrdiff_t>(2, std::ssize(printed.shape));
    printed.cells = row_major(matrices, Shape(printed.shape.begin() + further, printed.shape.end()));
    return;
  }
  for (const Matrix& matrix : matrices) {
    printed.cells.insert(printed.cells.end(), matrix.cells.begin(), matrix.cells.end());
  }
}

}  // namespace

std::optional<JuliaHeading> find_julia_heading(std::string_view text) {
  if (!text.ends_with(':')) {
    return std::nullopt;
  }
  text.remove_suffix(1);
  const std::size_t first = text.size() - std::min(text.size(), longest_heading);
  for (std::size_t begin = first; begin < text.size(); ++begin) {
    const bool in_word = begin > 0 && (text::is_digit(text[begin - 1]) || text::is_letter(text[begin - 1]));
    if (!text::is_digit(text[begin]) || in_word) {
      continue;
    }
    std::string_view type = text.substr(begin);
    if (std::optional<Shape> sizes = take_dimensions(type); sizes && is_type(type)) {
      return JuliaHeading{begin, std::move(*sizes), holds_bools(type)};
    }
  }
  return std::nullopt;
}

std::optional<Printed> read_julia_array(std::string_view page, std::size_t begin, const JuliaHeading& heading,
                                        Cursor& cursor) {
  ArrayReader reader(heading, cursor);
  const std::vector<Matrix> matrices = reader.read();
  if (matrices.empty() || matrices.front().cells.empty()) {
    return std::nullopt;
  }
  Printed printed;
  join(matrices, heading.shape, reader.slices_before_gap(), printed);
  printed.is_bool = heading.is_bool;
  printed.text = page.substr(begin, reader.end() - begin);
  const auto is_float = [](const Cell& cell) { return cell.text.find('.') != npos; };
  const bool floats = std::ranges::any_of(printed.cells, is_float);
  set_units(printed.cells, floats ? NumberStyle::significant : NumberStyle::fixed);
  return printed;
}

}  // namespace attn::verify
