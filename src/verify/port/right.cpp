#include "verify/port/right.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "tensor/evaluation.hpp"
#include "verify/port/axes.hpp"
#include "verify/port/meanings.hpp"
#include "verify/port/sample.hpp"

namespace attn::verify {

namespace {

bool is_within(Noise& noise, double theirs, double right, const Tensor& tensor, std::int64_t cell,
               const Tolerance& tolerance) {
  return is_held(theirs, right, tolerance) || std::abs(theirs - right) <= noise.at(tensor, cell);
}

/// Returns true if something differs by so much that noise, which takes long to compute, need not be asked.
bool is_beyond_noise(const Comparison& plain, std::span<const double> right, const Tensor& tensor) {
  constexpr double much = 0.1;
  double greatest = 0;
  std::ranges::for_each(
      right, [&](double one) { greatest = std::isfinite(one) ? std::max(greatest, std::abs(one)) : greatest; });
  return is_long(tensor) && plain.greatest_absolute > much * greatest;
}

/// Returns true for a number that hides a score: far below the others.
bool is_hiding(double value) { return value < -1e3; }

/// Returns true for a tensor whose numbers programs store otherwise too: a mask or transposed weights.
bool has_readings(const Tensor& right) { return right.dtype() == DType::boolean || is_weight(right); }

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

/// Returns true if the tensor may be laid out as the right one, as far as the numbers of their elements say.
bool may_fit(const Observed& theirs, const Tensor& right) {
  const std::int64_t count = element_count(theirs.shape);
  const std::int64_t wanted = element_count(right.shape());
  return count >= wanted ? wanted > 0 || count == wanted : count > 0 && wanted % count == 0;
}

}  // namespace

double distance(const Laid& theirs, const Tensor& step, std::span<const double> right) {
  double sum = 0;
  const auto add = [&](std::size_t i) {
    const double a = theirs.values[i];
    const double b = right[i];
    const bool are_numbers = std::isfinite(a) && std::isfinite(b);
    sum += a == b         ? 0
           : !are_numbers ? 1
                          : std::abs(a - b) / (std::abs(a) + std::abs(b) + std::numeric_limits<double>::min());
  };
  const std::size_t count = theirs.cells.empty() ? right.size() : theirs.cells.size();
  for (std::size_t i = 0; i < count; ++i) {
    add(theirs.cells.empty() ? i : static_cast<std::size_t>(theirs.cells[i]));
  }
  const bool is_hidden = std::ranges::any_of(theirs.values, is_hiding) && std::ranges::none_of(right, is_hiding);
  const auto width = static_cast<std::size_t>(step.dim() == 0 ? 1 : step.size(-1));
  const bool is_of_scores = width > 1 && theirs.cells.empty() && is_token_by_token(step) && !are_weights(right, width);
  const bool is_other = is_hidden || (is_of_scores && are_weights(theirs.values, width));
  return (is_other ? 1 : 0) + (count == 0 ? 0 : sum / static_cast<double>(count));
}

bool are_within(Noise& noise, std::span<const double> theirs, std::span<const double> right, const Tensor& tensor,
                const Comparison& comparison, const Tolerance& tolerance) {
  const auto is_near = [&](std::int64_t cell) {
    return is_within(noise, theirs[at(cell)], right[at(cell)], tensor, cell, tolerance);
  };
  return comparison.holds() || (is_near(comparison.absolute_at) && std::ranges::all_of(comparison.mismatched, is_near));
}

void Right::forget_others() {
  while (held_ > evaluation().large && used_.size() > 2) {
    const auto oldest = known_.find(used_.front());
    held_ -= std::ssize(oldest->second.values);
    known_.erase(oldest);
    used_.pop_front();
  }
}

const SharedNumbers& Right::values(const Tensor& tensor) {
  auto found = known_.find(tensor.id());
  if (found == known_.end()) {
    const SharedNumbers values = values_of(tensor);
    found = known_.emplace(tensor.id(), Known{tensor, values, used_.insert(used_.end(), tensor.id())}).first;
    held_ += std::ssize(values);
    forget_others();
  } else {
    used_.splice(used_.end(), used_, found->second.use);
  }
  return found->second.values;
}

bool Right::holds(const Laid& theirs, const Tensor& right) {
  const Comparison plain = verify::compare(theirs.values, values(right), tolerance_, theirs.cells);
  return plain.holds() || (has_noise(right) && !is_beyond_noise(plain, values(right), right) &&
                           are_within(noise_, theirs.values, values(right), right, plain, tolerance_));
}

Comparison Right::compare(const Laid& theirs, const Tensor& right, bool is_held) {
  const SharedNumbers numbers = values(right);
  Comparison result = verify::compare(theirs.values, numbers, tolerance_, theirs.cells);
  if (is_held) {
    result.mismatched.clear();
  } else if (has_noise(right) && !is_long(right)) {
    std::erase_if(result.mismatched, [&](std::int64_t cell) {
      return is_within(noise_, theirs.values[at(cell)], numbers[at(cell)], right, cell, tolerance_);
    });
  }
  result.mismatched.shrink_to_fit();
  return result;
}

/// Returns true if a sample shows that a large tensor of the right one's shape does not hold in any reading.
bool Right::is_refuted(const Observed& theirs, const Tensor& right) {
  const Sample sample = theirs.shape == right.shape() ? Sample(right, {}) : Sample();
  if (sample.empty() || has_readings(right)) {
    return false;
  }
  std::vector<double> here = sample.numbers(theirs.values);
  const std::vector<double> there = sample.numbers(right);
  if (std::ranges::all_of(there, is_truth)) {
    return false;  // a mask has other readings
  }
  for (std::size_t i = 0; i < here.size(); ++i) {
    here[i] = is_hiding(here[i]) ? there[i] : here[i];
  }
  const Comparison plain = verify::compare(here, there, tolerance_);
  const std::size_t worst = at(plain.absolute_at);
  return !plain.holds() && !is_hiding(here[worst]) &&
         (is_beyond_noise(plain, there, right) || !has_noise(right) ||
          !is_within(noise_, here[worst], there[worst], right, sample.cells()[worst], tolerance_));
}

const Comparison* Right::known(const Observed& theirs, const Tensor& right) const {
  const auto found = unkept_.find({&theirs, right.id()});
  return found == unkept_.end() ? nullptr : &found->second.comparison;
}

/// Compares part by part with the right one what is large, or is not read, and has its shape. If every cell holds,
/// keeps the comparison; the numbers only if they were read.
std::optional<Laid> Right::held_in_parts(const Observed& theirs, const Tensor& right) {
  const bool is_read = theirs.values.are_read();
  if (known(theirs, right) != nullptr) {
    return Laid();
  }
  if (theirs.shape != right.shape() || (is_read && element_count(right.shape()) <= evaluation().large)) {
    return std::nullopt;
  }
  std::optional<Comparison> comparison = compared_in_parts(theirs.values, right, tolerance_);
  if (comparison && is_read) {
    return Laid{theirs.values};
  }
  if (comparison) {
    unkept_.emplace(std::pair(&theirs, right.id()), Held{right, *std::move(comparison)});
    theirs.values.forget();
  }
  return comparison ? std::optional(Laid()) : std::nullopt;
}

std::optional<Laid> Right::holding(const Observed& theirs, const Tensor& right) {
  if (!may_fit(theirs, right)) {
    return std::nullopt;
  }
  if (std::optional<Laid> laid = held_in_parts(theirs, right)) {
    return laid;
  }
  if (is_refuted(theirs, right)) {
    return std::nullopt;
  }
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
  if (!may_fit(theirs, right)) {
    return {};
  }
  std::vector<Laid> result;
  lay_out(theirs, target_of(right), [&](Laid&& laid) {
    result.push_back(std::move(laid));
    return false;
  });
  return result;
}

double Right::distance(const Laid& theirs, const Tensor& right) {
  const Sample sample = theirs.cells.empty() ? Sample(right, {}) : Sample();
  return sample.empty() ? verify::distance(theirs, right, values(right))
                        : verify::distance(Laid{sample.numbers(theirs.values)}, right, sample.numbers(right));
}

bool Right::has_layout(const Observed& theirs, const Tensor& right) {
  bool result = theirs.shape == right.shape();
  if (!result && may_fit(theirs, right)) {
    lay_out(theirs, target_of(right), [&result](Laid&&) { return result = true; });
  }
  return result;
}

/// Returns true where wrong weights have rows that sum to 1 if they are turned, and only then, in a port whose tensors
/// have a column for each token.
bool Right::may_be_turned(const Laid& turned, const Observed& theirs, const Tensor& right) const {
  const auto has_columns = [](const Order& order) {
    return !order.empty() && order.back() == "T" &&
           std::ranges::any_of(order, [](const std::string& axis) { return axis == "d" || axis == "D"; });
  };
  const auto width = static_cast<std::size_t>(right.size(-1));
  return std::ranges::any_of(usual_, has_columns) && are_weights(turned.values, width) &&
         !(theirs.values.size() % width == 0 && are_weights(theirs.values, width));
}

std::optional<Laid> Right::nearest(const Observed& theirs, const Tensor& right) {
  if (!may_fit(theirs, right)) {
    return {};
  }
  std::optional<Laid> result;
  std::tuple<bool, std::size_t, bool, double> least;
  const auto weigh = [&](Laid&& laid) {
    const std::size_t wrong = verify::compare(laid.values, values(right), tolerance_, laid.cells).mismatched.size();
    if (laid.is_turned && wrong > 0 && !may_be_turned(laid, theirs, right)) {
      return;
    }
    const bool is_slice = !laid.cells.empty();
    const bool is_unusual = !is_slice && !laid.is_turned && !usual_.empty() && !usual_.contains(laid.order);
    const std::tuple likeness{is_unusual, wrong, !laid.is_named,
                              is_slice && wrong > 0 ? verify::distance(laid, right, values(right)) : 0};
    if (!result || likeness < least) {
      least = likeness;
      result = std::move(laid);
    }
  };
  std::optional<Laid> only;  // not compared unless there are others
  bool is_first = true;
  lay_out(theirs, target_of(right), [&](Laid&& laid) {
    if (std::exchange(is_first, false) && !laid.is_turned) {
      only = std::move(laid);
      return false;
    }
    if (only) {
      weigh(*std::exchange(only, std::nullopt));
    }
    weigh(std::move(laid));
    return false;
  });
  return only ? std::move(only) : std::move(result);
}

}  // namespace attn::verify
