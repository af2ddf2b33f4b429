#include "verify/judge/right.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

namespace attn::port {

std::vector<double> values_of(const Tensor& tensor) {
  return std::visit([](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
                    *tensor.array().contents());
}

namespace {

bool is_within(verify::Bounds& bounds, double theirs, const Tensor& right, std::int64_t cell,
               const Tolerance& tolerance) {
  const verify::Interval bound = bounds.cell(right, cell);
  const double allowed = tolerance.atol + tolerance.rtol * bound.size();
  return std::isfinite(theirs) && std::isfinite(bound.size()) && bound.low - allowed <= theirs &&
         theirs <= bound.high + allowed;
}

}  // namespace

bool are_within(verify::Bounds& bounds, std::span<const double> theirs, const Tensor& right,
                const Comparison& comparison, const Tolerance& tolerance) {
  const auto is_near = [&](std::int64_t cell) {
    return is_within(bounds, theirs[static_cast<std::size_t>(cell)], right, cell, tolerance);
  };
  return comparison.holds() || (is_near(comparison.absolute_at) && std::ranges::all_of(comparison.mismatched, is_near));
}

const std::vector<double>& Right::values(const Tensor& tensor) {
  const auto found = known_.find(tensor.id());
  return (found != known_.end() ? found->second
                                : known_.emplace(tensor.id(), Known{tensor, values_of(tensor)}).first->second)
      .values;
}

bool Right::holds(const Laid& theirs, const Tensor& right) {
  const Comparison plain = port::compare(theirs.values, values(right), tolerance_, theirs.cells);
  return plain.holds() || (is_bounded(right) && are_within(bounds_, theirs.values, right, plain, tolerance_));
}

Comparison Right::compare(const Laid& theirs, const Tensor& right) {
  constexpr std::int64_t patience = 20'000'000;  ///< to tell how many cells of a wrong tensor are wrong
  Comparison result = port::compare(theirs.values, values(right), tolerance_, theirs.cells);
  if (is_bounded(right) && are_within(bounds_, theirs.values, right, result, tolerance_)) {
    result.mismatched.clear();
  } else if (is_bounded(right)) {
    const std::int64_t before = bounds_.cost();
    std::erase_if(result.mismatched, [&](std::int64_t cell) {
      return bounds_.cost() - before < patience &&
             is_within(bounds_, theirs.values[static_cast<std::size_t>(cell)], right, cell, tolerance_);
    });
  }
  return result;
}

std::optional<Laid> Right::holding(const dump::Dumped& theirs, const Tensor& right) {
  std::optional<Laid> result;
  lay_out(theirs, {right, values(right), heads_}, [&](Laid&& laid) {
    if (!holds(laid, right)) {
      return false;
    }
    result = std::move(laid);
    return true;
  });
  return result;
}

std::optional<Laid> Right::nearest(const dump::Dumped& theirs, const Tensor& right) {
  std::optional<Laid> result;
  std::size_t fewest = 0;
  lay_out(theirs, {right, values(right), heads_}, [&](Laid&& laid) {
    const std::size_t wrong = port::compare(laid.values, values(right), tolerance_, laid.cells).mismatched.size();
    if (!result || wrong < fewest) {
      fewest = wrong;
      result = std::move(laid);
    }
    return false;
  });
  return result;
}

}  // namespace attn::port
