#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "verify/bound/mapped.hpp"
#include "verify/program/value_parts.hpp"

namespace attn::verify {
namespace {

/// All lows or all highs, the greatest first.
std::vector<double> falling(std::span<const Interval> of, double Interval::*end) {
  std::vector<double> ends;
  ends.reserve(of.size());
  for (const Interval& one : of) {
    ends.push_back(one.*end);
  }
  std::ranges::sort(ends, std::greater());
  return ends;
}

/// The bounds of the k-th greatest number: so many lows, and so many highs, are not less.
Interval greatest(std::span<const Interval> of, std::size_t k) {
  return {falling(of, &Interval::low)[k], falling(of, &Interval::high)[k]};
}

/// The first and the last place where the k-th greatest number may be.
Interval place_of_greatest(std::span<const Interval> of, std::size_t k) {
  const std::vector<double> lows = falling(of, &Interval::low);
  const std::vector<double> highs = falling(of, &Interval::high);
  const auto count_above = [](const std::vector<double>& ends, double value, auto is_above) {
    return static_cast<std::size_t>(
        std::ranges::partition_point(ends, [&](double end) { return is_above(end, value); }) - ends.begin());
  };
  Interval place{static_cast<double>(of.size()), 0};
  for (std::size_t i = 0; i < of.size(); ++i) {
    const std::size_t above = count_above(lows, of[i].high, std::greater());
    const std::size_t maybe_above = count_above(highs, of[i].low, std::greater_equal()) - 1;  // less itself
    if (above <= k && k <= maybe_above) {
      place = {std::min(place.low, static_cast<double>(i)), static_cast<double>(i)};
    }
  }
  return place;
}

}  // namespace

Value ordered(std::string_view function, const Passed& given, const Tensor& x) {
  const bool is_topk = function == "topk";
  const bool is_one = function == "argmax" || function == "argmin";
  const std::size_t place_of_dim = is_topk ? 2 : 1;
  const auto named = axis_of(given, place_of_dim, x.dim());
  const bool is_named = given.get("dim", "axis", place_of_dim).is_known();
  if (x.dim() == 0 || x.dtype() != DType::float32 || (is_named && !named)) {
    return {};
  }
  if (is_one && !is_named && x.dim() > 1) {
    return ordered(function, {}, *reshaped(x, {element_count(x.shape())}).tensor);
  }
  const std::int64_t axis = is_named ? *named : x.dim() - 1;
  const auto at = static_cast<std::size_t>(axis);
  const std::int64_t size = x.size(axis);
  const auto k = is_topk ? given.get("k", 1).number : std::optional(static_cast<double>(size));
  const bool is_descending =
      is_topk ? given.get("largest", 3).number.value_or(1) != 0 : given.get("descending", 2).number.value_or(0) != 0;
  if (!k || *k < 1 || *k > static_cast<double>(size)) {
    return {};
  }
  constexpr std::int64_t most = 64;
  const std::int64_t count = whole(*k);
  Shape shape = x.shape();
  shape.erase(shape.begin() + axis);
  const auto row_of = [at, size](const Shape& index) {
    std::vector<Element> row;
    for (std::int64_t i = 0; i < size; ++i) {
      Shape from = index;
      from.insert(from.begin() + static_cast<std::ptrdiff_t>(at), i);
      row.push_back({0, std::move(from)});
    }
    return row;
  };
  const std::string words = std::string("torch.").append(function) + "(" + x.words() +
                            (is_topk ? ", " + std::to_string(count) : "") +
                            (axis + 1 == x.dim() ? "" : ", dim=" + std::to_string(axis)) +
                            (is_descending == is_topk ? ""
                             : is_topk                ? ", largest=False"
                                                      : ", descending=True") +
                            ")";
  const auto each_rank = [&](Interval (*bound)(std::span<const Interval>, std::size_t), std::string_view ending) {
    std::vector<Tensor> ranks;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto rank = static_cast<std::size_t>(is_descending ? i : size - 1 - i);
      ranks.push_back(mapped({x}, shape,
                             {[](const auto& of) { return of[0]; }, row_of,
                              [=](std::span<const Interval> of) { return bound(of, rank); }}));
    }
    return renamed(stack(ranks, axis), words + std::string(ending));
  };
  if (is_one) {
    const std::size_t rank = function == "argmax" ? 0 : static_cast<std::size_t>(size - 1);
    const std::string along = x.dim() == 1 && !is_named ? "" : "dim=" + std::to_string(axis);
    return value_of(mapped(
        {x}, shape,
        {[end = std::string(".").append(function) + "(" + along + ")"](const auto& of) { return grouped(of[0]) + end; },
         row_of, [rank](std::span<const Interval> of) { return place_of_greatest(of, rank); }}));
  }
  if (count > most || size > most) {
    return {};
  }
  if (function == "argsort") {
    return each_rank(place_of_greatest, "");
  }
  Value result = each_rank(greatest, ".values");
  result.kind = Value::Kind::pair;
  result.places = each_rank(place_of_greatest, ".indices").tensor;
  return result;
}

}  // namespace attn::verify
