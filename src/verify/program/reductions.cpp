#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/observed/bounds.hpp"
#include "verify/page/pieces.hpp"
#include "verify/program/value_parts.hpp"

/// Functions of the numbers along an axis.
namespace attn::verify {
namespace {

using OfRow = std::function<double(std::span<const double> row, std::size_t place)>;

/// Each row's numbers along an axis become as many others: `of_row` makes each of them by its place.
Tensor along(const Tensor& x, std::int64_t axis, std::int64_t count, OfRow of_row) {
  const auto at = static_cast<std::size_t>(axis);
  Shape shape = x.shape();
  shape[at] = count;
  const auto elements = [at, size = x.size(axis)](const Shape& index) {
    std::vector<Element> row(static_cast<std::size_t>(size), {0, index});
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i].index[at] = static_cast<std::int64_t>(i);
    }
    return row;
  };
  const auto number = [at, of_row = std::move(of_row)](std::span<const double> row, const Shape& index) {
    const bool is_known = std::ranges::none_of(row, [](double one) { return std::isnan(one); });
    return is_known && !row.empty() ? of_row(row, static_cast<std::size_t>(index[at])) : NAN;
  };
  return mapped({x}, shape, {elements, number});
}

bool is_kept_in(const Passed& given) { return given.get("keepdim", "keepdims", 2).number.value_or(0) != 0; }

Value reduced_along(std::string_view function, const Tensor& x, std::int64_t axis, bool is_kept) {
  if (function == "sum" || function == "mean") {
    const Tensor total = sum(x, is_kept, axis - x.dim());
    const auto count = static_cast<double>(x.size(axis));
    return value_of(function == "sum" ? total : divide(total, count, std::to_string(x.size(axis))));
  }
  const auto of_row = [is_most = function == "max"](std::span<const double> row, std::size_t) {
    return is_most ? std::ranges::max(row) : std::ranges::min(row);
  };
  const bool is_last_maximum = function == "max" && axis == x.dim() - 1 && x.size(axis) > 0;
  const Tensor made = is_last_maximum ? amax(x) : along(x, axis, 1, of_row);
  return value_of(is_kept ? made : index(made, 0, axis));
}

/// The first place of each row's greatest or least number.
Value first_places(std::string_view function, const Tensor& x, std::int64_t axis, bool is_kept) {
  const Tensor places = along(x, axis, 1, [is_most = function == "max"](std::span<const double> row, std::size_t) {
    return static_cast<double>((is_most ? std::ranges::max_element(row) : std::ranges::min_element(row)) - row.begin());
  });
  return {.tensor = is_kept ? places : index(places, 0, axis), .is_whole = true};
}

/// The number of a row that has so many before it in order, or its place; which of equal ones comes first depends on
/// PyTorch's kernel.
double ranked(std::span<const double> row, std::size_t rank, bool is_descending, bool is_place) {
  std::vector<std::size_t> places(row.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(
      places, [&](std::size_t a, std::size_t b) { return is_descending ? row[a] > row[b] : row[a] < row[b]; });
  const double own = row[places[rank]];
  return !is_place ? own : std::ranges::count(row, own) == 1 ? static_cast<double>(places[rank]) : NAN;
}

}  // namespace

Value reduced(std::string_view function, const Passed& given, const Tensor& of) {
  const Tensor x = as_numbers(of);
  const bool has_places = function == "our_max" || (is_among(function, "max min") && !given.plain[0].is_numpy);
  const std::string_view own = function == "our_max"       ? "max"
                               : function.starts_with('a') ? function.substr(1)
                                                           : function;
  if (const Value other = given.get("other", 1); other.tensor && (own == "max" || own == "min")) {
    return combined(own == "max" ? "maximum" : "minimum", value_of(x), other);
  }
  const Value dim = given.get("dim", "axis", 1);
  if (!dim.is_known()) {
    const std::int64_t count = element_count(x.shape());
    return own == "sum"    ? value_of(total(x))
           : own == "mean" ? value_of(divide(total(x), static_cast<double>(count), std::to_string(count)))
                           : reduced_along(own, *reshaped(x, {count}).tensor, 0, false);
  }
  Shape axes;
  for (const Value& one : dim.items.empty() ? std::vector{dim} : dim.items) {
    const auto axis = axis_of({{value_of(x), one}, {}}, 1, x.dim());
    if (!axis) {
      return {};
    }
    axes.push_back(*axis);
  }
  std::ranges::sort(axes, std::greater());
  if (std::ranges::adjacent_find(axes) != axes.end()) {
    return {};
  }
  Value made = value_of(x);
  for (const std::int64_t axis : axes) {
    made = made.tensor ? reduced_along(own, *made.tensor, axis, is_kept_in(given)) : Value{};
  }
  return has_places && made.tensor ? Value{.items = {made, first_places(own, x, axes[0], is_kept_in(given))}} : made;
}

Value highest(std::string_view /*function*/, const Passed& given, const Tensor& x) {
  const auto axis = axis_of(given, 2, x.dim(), x.dim() - 1);
  const std::int64_t count = whole(given.get("k", 1).number.value_or(0));
  if (!axis || x.dim() == 0 || x.dtype() != DType::float32 || count < 1 || count > x.size(*axis) ||
      element_count(x.shape()) * count > most_listed) {
    return {};
  }
  const bool is_descending = given.get("largest", 3).number.value_or(1) != 0;
  Value made;
  for (const bool is_place : {false, true}) {
    const Tensor own = along(x, *axis, count, [=](std::span<const double> row, std::size_t rank) {
      return ranked(row, rank, is_descending, is_place);
    });
    made.items.push_back({.tensor = own, .is_whole = is_place});
  }
  return made;
}

}  // namespace attn::verify
