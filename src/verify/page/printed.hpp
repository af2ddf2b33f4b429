#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tensor/array.hpp"
#include "verify/page/page.hpp"

namespace attn::verify {

/// A printed number.
struct Cell {
  std::string_view text;  ///< "-0.2626", "1.", "2.5000e-01", "True", "inf"; points into the page's text
  double value = 0;       ///< True is 1; NaN also for a damaged number such as "0.18Z6"
  /// One unit of the last digit that its framework prints, including dropped zeros: 1e-6 for MLX's 0.25, and for
  /// numpy's if nothing rounds it. 0 if the number is exact: a whole number without decimals, 0.e+00, inf, nan, True,
  /// False.
  double unit = 0;
};

/// Returns true for "0.18Z6".
inline bool is_damaged(const Cell& cell) { return std::isnan(cell.value) && (cell.text.back() | 0x20) != 'n'; }

/// The largest distance of the printed number from the cell's value.
inline double radius(const Cell& cell) { return cell.unit / 2; }

/// A printed tensor, or a printed size.
struct Printed {
  enum class Kind { tensor, size };

  Kind kind = Kind::tensor;
  Place place;
  std::string_view label;  ///< the words before it, on its line or, if there are none, the previous one: "keys"
  std::string_view text;   ///< from "Parameter containing:" or "tensor(" to its end; points into the page's text

  /// The shape as printed; for a tensor printed with "...", only the shown items count. For Kind::size, the size that
  /// it states (-1 for a number that is not a size), whose numbers are the cells.
  Shape shape;
  /// Row-major; the shown items.
  std::vector<Cell> cells;
  /// For each axis, the number of items before the "...", or -1 if the axis is complete; empty if all are.
  std::vector<std::int64_t> shown_before_gap;

  bool ragged = false;  ///< rows have different lengths: `shape` is that of the first ones, and `cells` has all
  bool missing_parenthesis = false;  ///< the closing parenthesis is not on the page
  bool is_bool = false;
  std::string_view grad_fn;  ///< "MulBackward0"; empty if none is printed
};

/// Returns true if it is a tensor's size.
inline bool is_size(const Printed& printed) { return printed.kind == Printed::Kind::size; }

/// Returns true if it is printed with "...".
inline bool has_gap(const Printed& printed) { return !printed.shown_before_gap.empty(); }

/// Returns true if the cells fill the printed shape.
inline bool is_regular(const Printed& printed) {
  std::size_t count = 1;
  for (const std::int64_t size : printed.shape) {
    count *= static_cast<std::size_t>(size);
  }
  return !printed.ragged && count == printed.cells.size();
}

/// Finds all printed tensors and sizes of the page, in its order: tensor(...), Parameter containing:,
/// torch.Size([...]), numpy's array(...) and the like, and lists in output. Code that creates tensors
/// (torch.tensor(...)) is not output. The results point into the page's text, so the page must not move while they are
/// used. Takes time linear in the page.
std::vector<Printed> find_printed(const Page& page);

/// Why a page without printed tensors has none, if it shows arrays in a form that is not read; else empty.
std::string_view unread_form(const Page& page);

}  // namespace attn::verify
