#include "verify/port/right.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <variant>

namespace attn::verify {
namespace {

bool is_within(Noise& noise, double theirs, double right, const Tensor& tensor, std::int64_t cell,
               const Tolerance& tolerance) {
  return is_held(theirs, right, tolerance) || std::abs(theirs - right) <= noise.at(tensor, cell);
}

/// A large tensor has more numbers.
constexpr std::int64_t many = 100'000;

/// Returns true if some cells of a large tensor show that neither rounding nor noise gives its numbers: one is off by a
/// tenth of the greatest.
bool is_refuted(const Laid& theirs, const Tensor& tensor, const Tolerance& tolerance) {
  const auto right = tensor.array().contents();
  const std::size_t count = theirs.cells.empty() ? theirs.values.size() : theirs.cells.size();
  const std::size_t stride = std::max<std::size_t>(count / 1000, 1);
  double greatest = 0;
  double difference = 0;
  for (std::size_t place = 0; place < count; place += stride) {
    const std::size_t cell = theirs.cells.empty() ? place : at(theirs.cells[place]);
    const double here = theirs.values[cell];
    const double there =
        std::visit([cell](const auto& numbers) { return static_cast<double>(numbers.data()[cell]); }, *right);
    if (!is_held(here, there, tolerance)) {
      difference =
          std::max(difference, std::isfinite(here) ? std::abs(here - there) : std::numeric_limits<double>::infinity());
    }
    greatest = std::isfinite(there) ? std::max(greatest, std::abs(there)) : greatest;
  }
  return greatest > 0 && difference > greatest / 10;
}

/// Returns true for a number that hides a score: far below the others.
bool is_hiding(double value) { return value < -1e3; }

/// Returns true if most rows are weights: of numbers from 0 to 1, with a sum of 1.
bool are_weights(std::span<const double> values, std::size_t width) {
  std::size_t rows = 0;
  for (std::size_t first = 0; first < values.size(); first += width) {
    const std::span<const double> row = values.subspan(first, width);
    rows += std::ranges::all_of(row, [](double value) { return value >= 0 && value <= 1; }) &&
                    std::abs(std::accumulate(row.begin(), row.end(), 0.0) - 1) < 1e-3
                ? 1U
                : 0U;
  }
  return rows * width * 4 >= values.size() * 3;
}

}  // namespace

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
bool Right::may_be_noise(const Comparison& plain, const Tensor& right) {
  double greatest = 0;
  for (const double one : element_count(right.shape()) > many ? values(right) : SharedNumbers()) {
    greatest = std::isfinite(one) ? std::max(greatest, std::abs(one)) : greatest;
  }
  return tolerance_.grows && !right.operands().empty() && !(greatest > 0 && plain.greatest_absolute > greatest / 10);
}

bool Right::holds(const Laid& theirs, const Tensor& right) {
  if (element_count(right.shape()) > many && is_refuted(theirs, right, tolerance_)) {
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

std::vector<Laid> Right::layouts(const Observed& theirs, const Tensor& right) {
  std::vector<Laid> result;
  lay_out(theirs, target_of(right), [&](Laid&& laid) {
    result.push_back(std::move(laid));
    return false;
  });
  return result;
}

double Right::distance(const Laid& theirs, const Tensor& right) {
  const SharedNumbers numbers = values(right);
  double sum = 0;
  const auto add = [&](std::size_t i) {
    const double a = theirs.values[i];
    const double b = numbers[i];
    const bool are_numbers = std::isfinite(a) && std::isfinite(b);
    sum += a == b         ? 0
           : !are_numbers ? 1
                          : std::abs(a - b) / (std::abs(a) + std::abs(b) + std::numeric_limits<double>::min());
  };
  const std::size_t count = theirs.cells.empty() ? numbers.size() : theirs.cells.size();
  const std::size_t stride = count / at(many) + 1;
  for (std::size_t i = 0; i < count; i += stride) {
    add(theirs.cells.empty() ? i : static_cast<std::size_t>(theirs.cells[i]));
  }
  const bool is_hidden = std::ranges::any_of(theirs.values, is_hiding) && std::ranges::none_of(numbers, is_hiding);
  const auto width = static_cast<std::size_t>(right.dim() == 0 ? 1 : right.size(-1));
  const bool is_of_scores =
      width > 1 && theirs.cells.empty() && is_token_by_token(right) && !are_weights(numbers, width);
  const bool is_other = is_hidden || (is_of_scores && are_weights(theirs.values, width));
  return (is_other ? 1 : 0) + (count == 0 ? 0 : sum * static_cast<double>(stride) / static_cast<double>(count));
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
