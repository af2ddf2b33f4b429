#include "verify/port/right.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

namespace attn::verify {
namespace {

bool is_within(Noise& noise, double theirs, double right, const Tensor& tensor, std::int64_t cell,
               const Tolerance& tolerance) {
  return is_held(theirs, right, tolerance) || std::abs(theirs - right) <= noise.at(tensor, cell);
}

}  // namespace

bool is_held(double theirs, double right, const Tolerance& tolerance) {
  return theirs == right || (std::isnan(theirs) && std::isnan(right)) ||
         (std::isfinite(theirs) && std::isfinite(right) &&
          std::abs(theirs - right) <= tolerance.atol + tolerance.rtol * std::abs(right));
}

Comparison compare(std::span<const double> theirs, std::span<const double> right, const Tolerance& tolerance,
                   std::span<const std::int64_t> cells) {
  Comparison result;
  result.cells = static_cast<std::int64_t>(cells.empty() ? right.size() : cells.size());
  for (std::int64_t place = 0; place < result.cells; ++place) {
    const std::int64_t cell = cells.empty() ? place : cells[static_cast<std::size_t>(place)];
    const double here = theirs[static_cast<std::size_t>(cell)];
    const double there = right[static_cast<std::size_t>(cell)];
    result.greatest_right =
        std::isfinite(there) ? std::max(result.greatest_right, std::abs(there)) : result.greatest_right;
    if (here == there || (std::isnan(here) && std::isnan(there))) {
      continue;
    }
    if (!is_held(here, there, tolerance)) {
      result.mismatched.push_back(cell);
    }
    const bool are_numbers = std::isfinite(here) && std::isfinite(there);
    const double difference = are_numbers ? std::abs(here - there) : std::numeric_limits<double>::infinity();
    if (difference > result.greatest_absolute) {
      result.greatest_absolute = difference;
      result.absolute_at = cell;
    }
  }
  return result;
}

bool are_within(Noise& noise, std::span<const double> theirs, std::span<const double> right, const Tensor& tensor,
                const Comparison& comparison, const Tolerance& tolerance) {
  const auto is_near = [&](std::int64_t cell) {
    return is_within(noise, theirs[at(cell)], right[at(cell)], tensor, cell, tolerance);
  };
  return comparison.holds() || (is_near(comparison.absolute_at) && std::ranges::all_of(comparison.mismatched, is_near));
}

SharedNumbers Right::values(const Tensor& tensor) {
  constexpr std::int64_t most_held = std::int64_t{1} << 25;
  auto found = known_.find(tensor.id());
  if (found == known_.end()) {
    if (held_ > most_held) {
      known_.clear();
      held_ = 0;
    }
    held_ += element_count(tensor.shape());
    found = known_.emplace(tensor.id(), Known{tensor, values_of(tensor)}).first;
  }
  return found->second.values;
}

/// Returns true if noise, which takes long for a large tensor, need be asked: it is no tenth of the greatest number.
bool Right::may_be_noise(const Comparison& plain, const Tensor& right) const {
  constexpr std::int64_t many = 100'000;
  const bool is_far_off = element_count(right.shape()) > many && plain.greatest_absolute > plain.greatest_right / 10;
  return tolerance_.grows && !right.operands().empty() && !is_far_off;
}

bool Right::holds(const Laid& theirs, const Tensor& right) {
  const auto count = static_cast<std::int64_t>(theirs.cells.empty() ? theirs.values.size() : theirs.cells.size());
  std::vector<std::int64_t> some;  // cells that refute most of what is large
  for (std::int64_t i = 0; i < count; i += count / 1000 + 1) {
    some.push_back(theirs.cells.empty() ? i : theirs.cells[at(i)]);
  }
  const Comparison sample = verify::compare(theirs.values, values(right), tolerance_, some);
  if (!sample.holds() && !may_be_noise(sample, right)) {
    return false;
  }
  const Comparison plain = verify::compare(theirs.values, values(right), tolerance_, theirs.cells);
  return plain.holds() ||
         (may_be_noise(plain, right) && are_within(noise_, theirs.values, values(right), right, plain, tolerance_));
}

Comparison Right::compare(const Laid& theirs, const Tensor& right) {
  const SharedNumbers numbers = values(right);
  Comparison result = verify::compare(theirs.values, numbers, tolerance_, theirs.cells);
  if (may_be_noise(result, right)) {
    std::erase_if(result.mismatched, [&](std::int64_t cell) {
      return is_within(noise_, theirs.values[at(cell)], numbers[at(cell)], right, cell, tolerance_);
    });
  }
  return result;
}

std::optional<Laid> Right::holding(const Observed& theirs, const Tensor& right) {
  std::optional<Laid> result;
  lay_out(theirs, target_of(right), [&](Laid&& laid) {
    if (!holds(laid, right)) {
      return false;
    }
    result = std::move(laid);
    return true;
  });
  return result;
}

double Right::distance(const Laid& theirs, const Tensor& right) {
  const SharedNumbers numbers = values(right);
  double sum = 0;
  const std::size_t count = theirs.cells.empty() ? numbers.size() : theirs.cells.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t cell = theirs.cells.empty() ? i : at(theirs.cells[i]);
    const double a = theirs.values[cell];
    const double b = numbers[cell];
    const bool are_numbers = std::isfinite(a) && std::isfinite(b);
    sum += a == b         ? 0
           : !are_numbers ? 1
                          : std::abs(a - b) / (std::abs(a) + std::abs(b) + std::numeric_limits<double>::min());
  }
  const bool is_hidden = std::ranges::any_of(theirs.values, is_hiding) && std::ranges::none_of(numbers, is_hiding);
  return (is_hidden ? 1 : 0) + (count == 0 ? 0 : sum / static_cast<double>(count));
}

bool Right::has_layout(const Observed& theirs, const Tensor& right) {
  bool result = theirs.shape == right.shape();
  if (!result) {
    lay_out(theirs, target_of(right), [&result](Laid&&) { return result = true; });
  }
  return result;
}

std::optional<Laid> Right::nearest(const Observed& theirs, const Tensor& right) {
  std::optional<Laid> result;
  std::tuple<std::size_t, bool, double> least;
  lay_out(theirs, target_of(right), [&](Laid&& laid) {
    const std::size_t wrong = verify::compare(laid.values, values(right), tolerance_, laid.cells).mismatched.size();
    if (laid.is_turned && wrong > 0) {
      return false;
    }
    const bool is_slice = !laid.cells.empty();
    const std::tuple likeness{wrong, !laid.is_named, is_slice && wrong > 0 ? distance(laid, right) : 0};
    if (!result || likeness < least) {
      least = likeness;
      result = std::move(laid);
    }
    return false;
  });
  return result;
}

}  // namespace attn::verify
