#include "verify/bound/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace attn::verify {

/// A weight is least when its own score is low and all others are high. A score of -inf has weight 0.
double replace_by_weights(std::span<Interval> scores) {
  constexpr double vanishes = 104;  // this far below the largest, float32's exponential is 0 despite rounding
  double most = -std::numeric_limits<double>::infinity();
  for (const Interval& score : scores) {
    most = std::max(most, score.high);
  }
  double size = 0;
  for (const Interval& score : scores) {
    size = score.high > most - vanishes && std::isfinite(score.low) ? std::max(size, score.size()) : size;
  }
  for (Interval& score : scores) {
    const double low = std::exp(score.low - most);
    score = {low, score.low == score.high ? low : std::exp(score.high - most)};
  }
  // All others' sums, of those before and those after: a difference from the whole sum would lose digits.
  std::vector<Interval> after(scores.size() + 1);
  for (std::size_t i = scores.size(); i-- > 0;) {
    after[i] = {after[i + 1].low + scores[i].low, after[i + 1].high + scores[i].high};
  }
  Interval before;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto [low, high] = scores[i];
    const Interval others = {before.low + after[i + 1].low, before.high + after[i + 1].high};
    before = {before.low + low, before.high + high};
    scores[i] = {low > 0 ? low / (low + others.high) : low, high > 0 ? high / (high + others.low) : high};
  }
  // The difference from the largest, the exponential, the sum and the division are each rounded.
  return static_cast<double>(scores.size()) + 4 + 2 * size;
}

}  // namespace attn::verify
