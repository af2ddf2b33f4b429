#include "verify/judge/right.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "tensor/evaluation.hpp"
#include "verify/judge/sample.hpp"
#include "verify/propose/axes.hpp"
#include "verify/propose/meanings.hpp"

namespace attn::verify {

namespace {

bool is_within(Bounds& bounds, double theirs, const Tensor& right, std::int64_t cell, const Tolerance& tolerance) {
  const Interval bound = bounds.cell(right, cell);
  const double allowed = tolerance.atol + tolerance.rtol * bound.size();
  return std::isfinite(theirs) && std::isfinite(bound.size()) && bound.low - allowed <= theirs &&
         theirs <= bound.high + allowed;
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

/// How far the sums of rows are from 1, on average; a row with nan is off by 1.
double distance_of_sums(std::span<const double> values, std::size_t width) {
  double distance = 0;
  for (std::size_t first = 0; first < values.size(); first += width) {
    const std::span<const double> row = values.subspan(first, width);
    const double off = std::abs(std::accumulate(row.begin(), row.end(), 0.0) - 1);
    distance += std::isnan(off) ? 1 : off;
  }
  return distance * static_cast<double>(width) / static_cast<double>(values.size());
}

/// Returns true if turned weights have rows that sum to 1, and the port's, as they are, do not.
bool are_turned(const std::vector<double>& turned, const std::vector<double>& theirs, std::int64_t width) {
  const auto size = static_cast<std::size_t>(width);
  return distance_of_sums(turned, size) * 4 < distance_of_sums(theirs, theirs.size() % size == 0 ? size : 1);
}

/// Right except that one number replaces each -inf.
bool is_filled_otherwise(std::span<const double> theirs, std::span<const double> right) {
  std::optional<double> fill;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const bool is_hidden = std::isinf(right[i]);
    if (is_hidden ? fill && theirs[i] != *fill : !(std::abs(theirs[i] - right[i]) <= 1e-4 * (1 + std::abs(right[i])))) {
      return false;
    }
    fill = is_hidden ? theirs[i] : fill;
  }
  return fill.has_value();
}

/// Returns true if the tensor may be laid out as the right one, as far as the numbers of their elements say.
bool may_fit(const Observed& theirs, const Tensor& right) {
  const std::int64_t count = element_count(theirs.shape);
  const std::int64_t wanted = element_count(right.shape());
  return count >= wanted ? wanted > 0 || count == wanted : count > 0 && wanted % count == 0;
}

}  // namespace

std::string order_in(const std::string& words) {
  const std::size_t begin = words.find('[');
  return begin == std::string::npos ? "" : words.substr(begin, words.find(']') - begin + 1);
}

double distance(const Laid& theirs, const Tensor& step, std::span<const double> right) {
  if (is_filled_otherwise(theirs.values, right)) {
    return -1;
  }
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

bool are_within(Bounds& bounds, std::span<const double> theirs, const Tensor& right, const Comparison& comparison,
                const Tolerance& tolerance) {
  const auto is_near = [&](std::int64_t cell) {
    return is_within(bounds, theirs[static_cast<std::size_t>(cell)], right, cell, tolerance);
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

/// Drops bounds of large tensors, and those of others once they are many.
void Right::forget_bounds() {
  constexpr std::int64_t most_held = std::int64_t{1} << 24;
  bounds_.held() > most_held ? bounds_.forget() : bounds_.forget_larger(evaluation().large);
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

bool Right::are_same(const Observed& a, const Observed& b, const Tensor* held) {
  if (a.shape != b.shape || &a == &b) {
    return &a == &b;
  }
  if (a.values.are_read() && !b.values.are_read() && held != nullptr && known(b, *held) != nullptr &&
      !compared_in_parts(a.values, *held, tolerance_)) {
    return false;  // numbers that are b's would hold as b's do
  }
  return a.values == b.values;
}

bool Right::holds(const Laid& theirs, const Tensor& right) {
  const Comparison plain = verify::compare(theirs.values, values(right), tolerance_, theirs.cells);
  const bool is_it =
      plain.holds() || (is_bounded(right) && are_within(bounds_, theirs.values, right, plain, tolerance_));
  forget_bounds();
  return is_it;
}

Comparison Right::compare(const Laid& theirs, const Tensor& right) {
  constexpr std::int64_t patience = 20'000'000;  ///< of terms one by one, to tell how many cells of a tensor are wrong
  Comparison result = verify::compare(theirs.values, values(right), tolerance_, theirs.cells);
  if (is_bounded(right) && are_within(bounds_, theirs.values, right, result, tolerance_)) {
    result.mismatched.clear();
  } else if (is_bounded(right)) {
    const std::int64_t before = bounds_.one_by_one();
    std::erase_if(result.mismatched, [&](std::int64_t cell) {
      return bounds_.one_by_one() - before < patience &&
             is_within(bounds_, theirs.values[static_cast<std::size_t>(cell)], right, cell, tolerance_);
    });
  }
  result.mismatched.shrink_to_fit();
  forget_bounds();
  return result;
}

bool Right::is_far(const Observed& theirs, const Tensor& right) const {
  const bool is_unread = !theirs.values.are_read() && theirs.shape == right.shape();
  const Sample sample = is_unread ? Sample(right, {}) : Sample();
  if (sample.empty()) {
    return false;
  }
  const Comparison plain = verify::compare(sample.numbers(theirs.values), sample.numbers(right), tolerance_);
  theirs.values.forget();
  return !plain.holds() && !plain.is_near();
}

/// Returns true if a number that differs shows that the tensor does not hold in any reading: it is not within bounds,
/// and does not hide a score.
bool Right::is_certainly_wrong(double here, const Tensor& right, std::int64_t cell) {
  return !is_hiding(here) && (!is_bounded(right) || !is_within(bounds_, here, right, cell, tolerance_));
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
  const auto worst = static_cast<std::size_t>(plain.absolute_at);
  const bool is_it = !plain.holds() && is_certainly_wrong(here[worst], right, sample.cells()[worst]);
  forget_bounds();
  return is_it;
}

/// Compares a large tensor of the right one's shape part by part: true if every cell holds, false if one shows that the
/// tensor does not hold in any reading.
std::optional<bool> Right::holds_in_parts(const Observed& theirs, const Tensor& right) {
  if (element_count(right.shape()) <= evaluation().large || theirs.shape != right.shape()) {
    return std::nullopt;
  }
  std::optional<bool> holds = true;
  compare_in_parts(
      theirs.values, right, tolerance_, [&](const Comparison& some, std::int64_t first, std::span<const double> there) {
        const std::int64_t worst = first + some.absolute_at;
        if (some.holds()) {
          return true;
        }
        const bool is_wrong = !has_readings(right) && !std::ranges::all_of(there, is_truth) &&
                              is_certainly_wrong(theirs.values[static_cast<std::size_t>(worst)], right, worst);
        holds = is_wrong ? std::optional(false) : std::nullopt;
        return !is_wrong;
      });
  forget_bounds();
  return holds;
}

const Comparison* Right::known(const Observed& theirs, const Tensor& right) const {
  const auto found = unkept_.find({&theirs, right.id()});
  return found == unkept_.end() ? nullptr : &found->second.comparison;
}

/// Reads a tensor and compares it part by part with the right one, if both have one shape. Keeps the comparison and not
/// the numbers if every cell holds, else the numbers.
bool Right::holds_unread(const Observed& theirs, const Tensor& right) {
  if (known(theirs, right) != nullptr) {
    return true;
  }
  std::optional<Comparison> comparison =
      theirs.shape == right.shape() ? compared_in_parts(theirs.values, right, tolerance_) : std::nullopt;
  if (comparison) {
    unkept_.emplace(std::pair(&theirs, right.id()), Held{right, *std::move(comparison)});
    theirs.values.forget();
  }
  return comparison.has_value();
}

std::optional<Laid> Right::holding(const Observed& theirs, const Tensor& right) {
  if (!may_fit(theirs, right)) {
    return std::nullopt;
  }
  if (!theirs.values.are_read() && holds_unread(theirs, right)) {
    return Laid();
  }
  if (is_refuted(theirs, right)) {
    return std::nullopt;
  }
  if (const std::optional<bool> holds = holds_in_parts(theirs, right)) {
    return *holds ? std::optional(Laid{theirs.values, {}, ""}) : std::nullopt;
  }
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

std::vector<Laid> Right::layouts(const Observed& theirs, const Tensor& right) {
  if (!may_fit(theirs, right)) {
    return {};
  }
  std::vector<Laid> result;
  lay_out(theirs, {right, values(right), heads_}, [&](Laid&& laid) {
    result.push_back(std::move(laid));
    return false;
  });
  return result;
}

std::optional<Laid> Right::nearest(const Observed& theirs, const Tensor& right) {
  if (!may_fit(theirs, right)) {
    return {};
  }
  std::optional<Laid> result;
  std::tuple<bool, std::size_t, bool, bool, double> least;
  const auto weigh = [&](Laid&& laid) {
    const std::size_t wrong = verify::compare(laid.values, values(right), tolerance_, laid.cells).mismatched.size();
    if (laid.is_turned && wrong > 0 && !(has_columns_ && are_turned(laid.values, theirs.values, right.size(-1)))) {
      return;
    }
    const bool is_slice = !laid.cells.empty();
    const bool is_unusual = !is_slice && !laid.is_turned && !usual_.empty() && !usual_.contains(order_in(laid.words));
    const std::tuple likeness{is_unusual, wrong, !laid.is_turned, !laid.is_named,
                              is_slice && wrong > 0 ? distance(laid, right, values(right)) : 0};
    if (!result || likeness < least) {
      least = likeness;
      result = std::move(laid);
    }
  };
  std::optional<Laid> only;  // not compared unless there are others
  bool is_first = true;
  lay_out(theirs, {right, values(right), heads_}, [&](Laid&& laid) {
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
