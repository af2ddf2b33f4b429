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

/// Returns true if a number that differs shows that the tensor does not hold in any reading: rounding does not explain
/// it, and it does not hide a score.
bool Right::is_certainly_wrong(double here, double there, const Tensor& right, std::int64_t cell) {
  return !is_hiding(here) && (!has_noise(right) || !is_within(noise_, here, there, right, cell, tolerance_));
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
  return !plain.holds() && (is_beyond_noise(plain, there, right)
                                ? !is_hiding(here[worst])
                                : is_certainly_wrong(here[worst], there[worst], right, sample.cells()[worst]));
}

/// Compares a large tensor of the right one's shape part by part: true if every cell holds, false if one shows that the
/// tensor does not hold in any reading.
std::optional<bool> Right::holds_in_parts(const Observed& theirs, const Tensor& right) {
  if (element_count(right.shape()) <= evaluation().large || theirs.shape != right.shape()) {
    return std::nullopt;
  }
  std::optional<bool> holds = true;
  compare_in_parts(theirs.values, right, tolerance_,
                   [&](const Comparison& some, std::int64_t first, std::span<const double> there) {
                     const std::int64_t worst = first + some.absolute_at;
                     const double there_at_worst = there[at(some.absolute_at)];
                     if (some.holds()) {
                       return true;
                     }
                     const bool is_wrong = !has_readings(right) && !std::ranges::all_of(there, is_truth) &&
                                           is_certainly_wrong(theirs.values[at(worst)], there_at_worst, right, worst);
                     holds = is_wrong ? std::optional(false) : std::nullopt;
                     return !is_wrong;
                   });
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
                        : verify::distance(Laid{sample.numbers(theirs.values), {}, ""}, right, sample.numbers(right));
}

bool Right::has_layout(const Observed& theirs, const Tensor& right) {
  bool result = theirs.shape == right.shape();
  if (!result && may_fit(theirs, right)) {
    lay_out(theirs, target_of(right), [&result](Laid&&) { return result = true; });
  }
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
