#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/observed/observed.hpp"
#include "verify/program/value_parts.hpp"

/// Constants, and what masks and triangles do to tensors.
namespace attn::verify {
namespace {

Value range_of_numbers(const Passed& given) {
  const bool has_begin = given.plain.size() > (given.get("end", "stop", 99).is_known() ? 0 : 1);
  const Value start = given.get("start", has_begin ? 0 : 99);
  const double begin = has_begin || start.is_known() ? start.number.value_or(NAN) : 0;
  const double end = given.get("end", "stop", has_begin ? 1 : 0).number.value_or(NAN);
  const double step = given.get("step", 2).number.value_or(1);
  const double count = std::ceil((end - begin) / step);
  return count >= 1 && count <= most_listed
             ? value_of(constant({whole(count)}, [=](std::size_t i) { return begin + step * static_cast<double>(i); }))
             : Value{};
}

Value filled_with(std::string_view function, const Passed& given) {
  const bool is_full = function.starts_with("full");
  const bool is_alike = function.ends_with("_like");
  const Value first = given.get("input", 0);
  Passed of_sizes = given;
  is_full || function == "eye" ? of_sizes.plain.resize(std::min<std::size_t>(1, given.plain.size())) : void();
  const auto shape = !is_alike      ? numbers_in(of_sizes, 0)
                     : first.tensor ? std::optional(first.tensor->shape())
                                    : std::nullopt;
  const auto number = is_full ? given.get("fill_value", 1).number : function.starts_with("ones") ? 1 : 0;
  const bool is_fitting = shape && (is_alike || !shape->empty()) &&
                          std::ranges::all_of(*shape, [](auto n) { return n >= 0 && n <= most_listed; });
  if (!is_fitting || element_count(*shape) > most_listed || !number) {
    return {};
  }
  if (function == "eye") {
    const auto n = static_cast<std::size_t>((*shape)[0]);
    const Tensor made = constant({(*shape)[0], (*shape)[0]}, [n](std::size_t i) { return i / n == i % n; });
    return given.plain.size() == 1 ? value_of(made) : Value{};
  }
  return value_of(function.starts_with("empty") ? unknown_of(*shape)
                                                : constant(*shape, [number](std::size_t) { return *number; }));
}

/// A number, or that of a tensor of one, or of a constant with the shape of another.
Value number_in(const Value& x, const Value& other) {
  const Shape shape = other.tensor ? other.tensor->shape() : Shape{};
  const bool is_leaf = x.tensor && x.tensor->operands().empty() && (x.tensor->dim() == 0 || x.tensor->shape() == shape);
  const auto cells = is_leaf ? cells_of(*x.tensor) : std::nullopt;
  const bool is_one = cells && !cells->empty() && std::ranges::count(*cells, cells->front()) == std::ssize(*cells);
  return is_one ? value_of(cells->front()) : x;
}

}  // namespace

Value listed_numbers(const Value& list) {
  if (list.number) {
    return value_of(constant({}, [n = *list.number](std::size_t) { return n; }));
  }
  Value rows;
  std::vector<double> numbers;
  for (const Value& item : list.items) {
    const Value row = item.items.empty() ? item : listed_numbers(item);
    const bool is_alike = rows.items.empty() || (row.tensor && row.tensor->shape() == rows.items[0].tensor->shape());
    row.tensor&& is_alike ? rows.items.push_back(row) : void();
    item.number ? numbers.push_back(*item.number) : void();
  }
  if (numbers.size() != list.items.size() || numbers.size() > most_listed) {
    return rows.items.size() == list.items.size() ? joined("stack", {{rows}, {}}) : Value{};
  }
  const auto is_truth = [](const Value& item) { return item.words == "True" || item.words == "False"; };
  if (std::ranges::all_of(list.items, is_truth)) {
    return value_of(mask_at({std::ssize(numbers)}, {numbers.begin(), numbers.end()}, "?"));
  }
  return value_of(constant({std::ssize(numbers)}, [numbers](std::size_t i) { return numbers[i]; }));
}

Value filled(std::string_view function, const Passed& given) {
  const Value made = function == "arange" ? range_of_numbers(given) : filled_with(function, given);
  const bool is_bool = given.get("dtype", 99).words == "bool";
  return is_bool && made.tensor ? compared("!=", made, value_of(0)) : made;
}

Value triangle(std::string_view function, const Passed& given, const Tensor& x) {
  const double k = given.get("diagonal", "k", 1).number.value_or(0);
  if (x.dim() < 2) {
    return {};
  }
  return moved(x, x.shape(), [k, is_low = function == "tril"](const Shape& index) {
    const auto over = static_cast<double>(index[index.size() - 1] - index[index.size() - 2]);
    return (is_low ? over <= k : over >= k) ? std::optional(index) : std::nullopt;
  });
}

Value masked(const Tensor& x, const Value& mask, const Value& given) {
  const Value number = number_in(given, {});
  if (!mask.tensor || !cells_of(*mask.tensor) || !number.number || x.dtype() != DType::float32 ||
      broadcast(x.shape(), mask.tensor->shape()) != x.shape()) {
    return {};
  }
  Shape shape = mask.tensor->shape();
  shape.erase(shape.begin(), std::ranges::find_if(shape, [](std::int64_t size) { return size != 1; }));
  const bool are_last_axes = std::equal(shape.rbegin(), shape.rend(), x.shape().rbegin());
  Value places = shape == mask.tensor->shape() ? mask : reshaped(*mask.tensor, shape);
  places = are_last_axes ? places : expanded(*mask.tensor, x.shape());
  if (places.tensor && places.tensor->dtype() != DType::boolean) {
    places = compared("!=", places, value_of(0));
  }
  return places.tensor ? value_of(masked_fill(x, *places.tensor, static_cast<float>(*number.number))) : Value{};
}

Value chosen(std::string_view /*function*/, const Passed& given, const Tensor& mask) {
  const Value x = given.get("input", "x", 1);
  const Value y = given.get("other", "y", 2);
  const Value a = number_in(x, y);
  const Value b = number_in(y, x);
  const Value made = a.number && y.tensor   ? masked(*y.tensor, value_of(mask), a)
                     : x.tensor && b.number ? masked(*x.tensor, inverted(value_of(mask)), b)
                                            : Value{};
  const auto first = x.number ? listed_numbers(x).tensor : x.tensor;
  const auto second = y.number ? listed_numbers(y).tensor : y.tensor;
  if (made.tensor || !first || !second) {
    return made;
  }
  return each({mask, *first, *second}, [](std::span<const double> of) {
    return std::isnan(of[0]) ? of[0] : of[0] != 0 ? of[1] : of[2];
  });
}

}  // namespace attn::verify
