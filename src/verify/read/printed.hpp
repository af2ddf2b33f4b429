#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/array.hpp"
#include "verify/read/page.hpp"

namespace attn::verify {

/// A number as it is printed.
struct Cell {
  std::string_view text;  ///< "-0.2626", "1.", "2.5000e-01", "True", "inf"; points into the page's text
  double value = 0;       ///< True is 1; NaN also where the text is a damaged number, "0.18Z6"
  /// One unit of the last digit that its framework prints, zeros that it leaves out included: of MLX's 0.25 it is
  /// 1e-6, of numpy's where nothing rounds it 1e-6 as well. 0 where the number is exact: a whole number without
  /// decimals, 0.e+00, inf, nan, True, False.
  double unit = 0;
};

/// How far the number that was printed may be from the cell's value.
inline double radius(const Cell& cell) { return cell.unit / 2; }

/// Something that a page prints about a tensor.
struct Printed {
  enum class Kind { tensor, size };

  Kind kind = Kind::tensor;
  Place place;
  std::string_view label;  ///< the words before it, on its line or, where that is empty, the line before: "keys"
  std::string_view text;   ///< from "Parameter containing:" or "tensor(" to its end; points into the page's text

  /// The shape as printed; of a tensor printed with "...", only the shown items count. Of Kind::size, the size that
  /// it states (-1 for a number that is no size), whose numbers are the cells.
  Shape shape;
  /// Row-major; the shown items.
  std::vector<Cell> cells;
  /// For each axis, how many items stand before the "...", or -1 where the axis is complete; empty where all are.
  std::vector<std::int64_t> shown_before_gap;

  /// Rows of different lengths: `shape` is that of the first ones, `cells` all. Also Nx's rows that are not as
  /// their type line says.
  bool ragged = false;
  bool missing_parenthesis = false;  ///< the closing one is not on the page
  bool is_bool = false;
  bool is_parameter = false;
  bool is_numpys = false;    ///< numpy's, JAX's or TensorFlow's way of writing numbers, zeros left out
  std::string_view grad_fn;  ///< "MulBackward0"; empty where none is printed
};

/// Whether it is the size of a tensor.
bool is_size(const Printed& printed);

/// Whether it is printed with "...".
bool has_gap(const Printed& printed);

/// Whether the cells fill the printed shape.
bool is_regular(const Printed& printed);

}  // namespace attn::verify
