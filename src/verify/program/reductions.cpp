#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "verify/bound/mapped.hpp"
#include "verify/program/value_parts.hpp"

namespace attn::verify {
namespace {

/// Of one axis, or of all.
using Reduction = std::function<Interval(std::span<const Interval>)>;

Value reduced(std::string_view name, const Passed& given, const Tensor& x, const Reduction& reduction,
              const std::string& more = "") {
  const std::int64_t rank = x.dim();
  const auto axis = axis_of(given, 1, rank);
  const bool is_kept = axis && (given.get("keepdim", "keepdims", 2).number.value_or(0) != 0);
  if ((!axis && given.get("dim", "axis", 1).is_known()) || x.dtype() != DType::float32) {
    return {};
  }
  if (name == "sum") {
    return value_of(axis ? sum(x, is_kept, *axis - rank) : attn::total(x));
  }
  if (name == "mean" && axis) {
    return value_of(
        divide(sum(x, is_kept, *axis - rank), static_cast<double>(x.size(*axis)), std::to_string(x.size(*axis))));
  }
  Shape shape = axis ? x.shape() : Shape{};
  if (axis) {
    is_kept ? shape[static_cast<std::size_t>(*axis)] = 1 : *shape.erase(shape.begin() + *axis);
  }
  const std::string along = axis ? "dim=" + std::to_string(*axis) + (is_kept ? ", keepdim=True" : "") : "";
  const std::string words =
      std::string(".").append(name) + "(" + along + (along.empty() || more.empty() ? "" : ", ") + more + ")";
  return value_of(mapped({x}, shape,
                         {[words](const auto& of) { return grouped(of[0]) + words; },
                          [axis, is_kept, full = x.shape()](const Shape& index) {
                            std::vector<Element> elements;
                            const std::int64_t count =
                                axis ? full[static_cast<std::size_t>(*axis)] : element_count(full);
                            for (std::int64_t i = 0; i < count; ++i) {
                              Shape at = axis ? index : index_at(i, full);
                              if (axis && !is_kept) {
                                at.insert(at.begin() + *axis, i);
                              } else if (axis) {
                                at[static_cast<std::size_t>(*axis)] = i;
                              }
                              elements.push_back({0, std::move(at)});
                            }
                            return elements;
                          },
                          reduction}));
}

Interval total(std::span<const Interval> of) {
  Interval result;
  for (const Interval& one : of) {
    result = {result.low + one.low, result.high + one.high};
  }
  return result;
}

Interval extreme(std::span<const Interval> of, bool is_most) {
  Interval result = of[0];
  for (const Interval& one : of) {
    result = is_most ? Interval{std::max(result.low, one.low), std::max(result.high, one.high)}
                     : Interval{std::min(result.low, one.low), std::min(result.high, one.high)};
  }
  return result;
}

}  // namespace

std::optional<std::int64_t> axis_of(const Passed& given, std::size_t place, std::int64_t rank,
                                    std::optional<std::int64_t> usual) {
  const Value dim = given.get("dim", "axis", place);
  if (!dim.is_known()) {
    return usual;
  }
  const std::int64_t axis = dim.number ? whole(*dim.number) : rank;
  return axis >= -rank && axis < rank ? std::optional(axis < 0 ? axis + rank : axis) : std::nullopt;
}

Interval mean_of(std::span<const Interval> of) {
  const auto count = static_cast<double>(of.size());
  const Interval sum = total(of);
  return {sum.low / count, sum.high / count};
}

Value reduced_to(std::string_view function, const Passed& given, const Tensor& x) {
  const bool is_sum = function == "sum" || function == "mean";
  if (is_sum && x.dtype() == DType::boolean) {
    Passed numbers = given;
    numbers.plain[0] = as_numbers(x);
    return reduced_to(function, numbers, *numbers.plain[0].tensor);
  }
  if (const Value dims = given.get("dim", "axis", 1); is_sum && dims.items.size() > 1) {
    const Value first = reduced_to(function, {{value_of(x), dims.items.back()}, {}}, x);  // the last ones first
    Value rest;
    rest.items.assign(dims.items.begin(), dims.items.end() - 1);
    const bool is_kept = given.get("keepdim", "keepdims", 2).number.value_or(0) != 0;
    return first.tensor && !is_kept
               ? reduced_to(function, {{first, rest.items.size() == 1 ? rest.items[0] : rest}, {}}, *first.tensor)
               : Value{};
  }
  if (is_sum) {
    return reduced(function, given, x, function == "sum" ? total : mean_of);
  }
  if (function == "max" || function == "amax" || function == "min" || function == "amin") {
    const bool is_most = function.ends_with("max");
    if (const Value other = given.get("other", 1); other.tensor) {
      return combined(is_most ? "maximum" : "minimum", value_of(x), other);
    }
    Value result = reduced(is_most ? "amax" : "amin", given, x,
                           [is_most](std::span<const Interval> of) { return extreme(of, is_most); });
    result.kind = Value::Kind::pair;
    result.places = result.tensor ? ordered(is_most ? "argmax" : "argmin", given, x).tensor : std::nullopt;
    return result;
  }
  if (function == "var" || function == "std") {
    const bool is_numpys = given.get("axis", 99).is_known();
    const bool is_population = given.get("ddof", 99).number.value_or(is_numpys ? 0 : 1) == 0 ||
                               given.get("unbiased", 99).number == 0.0 || given.get("correction", 99).number == 0.0;
    const bool is_root = function == "std";
    return reduced(
        function, given, x,
        [=](std::span<const Interval> of) {
          const auto count = static_cast<double>(of.size());
          const double factor = is_population ? 1 : count / (count - 1);
          const Interval one = times(variance_of(of), {factor, factor});
          return is_root ? square_root(one) : one;
        },
        is_population ? "unbiased=False" : "");
  }
  return reduced(function, given, x, [](std::span<const Interval> of) {  // the norm
    double low = 0;
    double high = 0;
    for (const Interval& one : of) {
      const double least = one.low <= 0 && one.high >= 0 ? 0 : std::min(std::abs(one.low), std::abs(one.high));
      low += least * least;
      high += one.size() * one.size();
    }
    return Interval{std::sqrt(low), std::sqrt(high)};
  });
}

}  // namespace attn::verify
