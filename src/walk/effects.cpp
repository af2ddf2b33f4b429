#include "walk/effects.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "walk/change.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {

bool is_score(const Change& change) {
  switch (change.was->kind()) {
    case Kind::matvec:
    case Kind::matvecs:
    case Kind::dots:
    case Kind::pairwise_dots: return true;
    case Kind::matmul: {
      const Tensor& keys = change.was->operands()[1];
      const auto axes = keys.operation().facts().axes;
      return keys.kind() == Kind::transpose && std::max(axes[0], axes[1]) + 1 == keys.shape().size();
    }
    default: return false;
  }
}

bool is_softmax(const Change& change) { return softmax_of_weights(*change.was) != nullptr; }

double row_sum(Row row, std::size_t) {
  double sum = 0;
  for (const float value : row) {
    sum += static_cast<double>(value);
  }
  return sum;
}

double later(Row row, std::size_t place) { return place < row.size() ? row_sum(row.subspan(place + 1), 0) : 0; }

double largest_move(const Change& change) {
  double moved = 0;
  for (std::size_t i = 0; i < change.before.size(); ++i) {
    moved = std::max(moved, std::abs(static_cast<double>(change.before[i]) - static_cast<double>(change.after[i])));
  }
  return moved;
}

namespace {

/// "scores change by up to 1.23."; empty if there are none.
std::string changed_by_up_to(const std::string& what, std::span<const Change> some) {
  const bool are_finite = std::ranges::all_of(
      some, [](const Change& change) { return is_finite(change.before) && is_finite(change.after); });
  double moved = 0;
  for (const Change& change : some) {
    moved = std::max(moved, largest_move(change));
  }
  const std::string words = decimals(moved, 4);
  return some.empty()  ? ""
         : !are_finite ? what + " change, and some are inf or nan."
                       : what + " change by up to " + (words == "0" ? text::factor_text(moved) : words) + ".";
}

bool are_encodings(const Change& change) { return change.name == "encodings"; }

bool have_positions(const Change& change) { return change.name == "inputs_with_positions"; }

/// How far away, on average, the tokens are that a row of weights attends to.
double distance(Row row, std::size_t place) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    sum += static_cast<double>(row[i]) * (static_cast<double>(place) - static_cast<double>(i));
  }
  return sum;
}

std::string distance_did(std::span<const Change> all) {
  return "the mean distance of a row's weight " + mean_from_to(measured(filtered(all, is_softmax), distance)) + ".";
}
}  // namespace

std::string tiled_heads_did(std::span<const Change> all) {
  const std::vector<Change> repeated =
      filtered(all, [](const Change& change) { return change.was->kind() == Kind::repeat; });
  if (repeated.empty()) {
    return "";
  }
  const Change& keys = repeated.front();
  const auto axis = static_cast<std::size_t>(keys.was->operation().facts().axis);
  const std::int64_t size = row_major_strides(keys.shape)[axis];
  std::int64_t moved = 0;
  for (std::int64_t head = 0; head < keys.shape[axis]; ++head) {
    const auto begin = keys.before.begin() + head * size;
    moved += std::equal(begin, begin + size, keys.after.begin() + head * size) ? 0 : 1;
  }
  return "With tiled heads, " + std::to_string(moved) + " of " + std::to_string(keys.shape[axis]) +
         " query heads use the keys of another group.";
}

std::string masked_from_first_key_did(std::span<const Change> all) {
  std::size_t lost = 0;
  std::size_t rows = 0;
  const auto is_mask = [](const Change& change) { return change.was->kind() == Kind::masked; };
  for (const Change& change : filtered(all, is_mask)) {
    for (std::size_t i = 0; i < change.before.size(); ++i) {
      lost += std::isinf(change.after[i]) && !std::isinf(change.before[i]) ? 1U : 0U;
    }
    rows += change.before.size() / static_cast<std::size_t>(change.shape.back());
  }
  return lost == 0 ? ""
                   : "Counted from the first key, " + std::to_string(rows) + " queries lose " + std::to_string(lost) +
                         " of the tokens that they should see.";
}

std::string no_block_rescale_did(std::span<const Change> all) {
  std::vector<Change> sums = filtered(all, [](const Change& change) { return change.name.starts_with("row_sum_"); });
  if (sums.empty()) {
    return "";
  }
  return "Without rescaling, earlier blocks count too much where a later one has a larger maximum: a row's sum of "
         "exponentials " +
         mean_from_to(measured({&sums.back(), 1}, row_sum)) + ".";
}

std::string halves_for_pairs_did(std::span<const Change> all) {
  const std::string words = changed_by_up_to("scores", filtered(all, is_score));
  return words.empty() ? "" : "With halves for pairs, other columns are rotated together: " + words;
}

std::string rotary_values_did(std::span<const Change> all) {
  const auto is_context = [](const Change& change) { return change.name == "context_vecs"; };
  const std::string words = changed_by_up_to("context vectors", filtered(all, is_context));
  return words.empty() ? "" : "With rotated values, a value depends on its token's position: " + words;
}

std::string position_off_by_one_did(std::span<const Change> all) {
  const std::string words = changed_by_up_to("they", filtered(all, is_score));
  return words.empty() ? "" : "With queries one position too far, scores are those of the next distance: " + words;
}

std::string bias_sign_did(std::span<const Change> all) {
  return filtered(all, is_softmax).empty() ? "" : "With the opposite sign, distant tokens gain: " + distance_did(all);
}

std::string bias_after_softmax_did(std::span<const Change> all) {
  const std::vector<Change> weights = filtered(all, is_softmax);
  if (weights.empty()) {
    return "";
  }
  float smallest = std::numeric_limits<float>::infinity();
  for (const Change& change : weights) {
    for (const float weight : change.after) {
      smallest = std::fmin(smallest, weight);  // without nan
    }
  }
  const std::string least =
      std::isinf(smallest) ? "" : "the smallest is now " + decimals(static_cast<double>(smallest), 4) + ", and ";
  return "Added after softmax, biases are weights: " + least + "a row's weight right of the diagonal " +
         mean_from_to(measured(weights, later)) + ".";
}

std::string bias_before_scaling_did(std::span<const Change> all) {
  return filtered(all, is_softmax).empty() ? "" : "Scaled like the scores, biases are too weak: " + distance_did(all);
}

std::string same_slope_did(std::span<const Change> all) {
  const std::string words = changed_by_up_to("weights", filtered(all, is_softmax));
  return words.empty() ? "" : "With one slope for all, no head sees further than another: " + words;
}

std::string slopes_by_count_did(std::span<const Change> all) {
  const auto are_slopes = [](const Change& change) { return change.name == "slopes"; };
  const std::vector<Change> slopes = filtered(all, are_slopes);
  const std::string words = changed_by_up_to("weights", filtered(all, is_softmax));
  if (slopes.empty() || words.empty()) {
    return "";
  }
  std::size_t others = 0;
  for (std::size_t i = 0; i < slopes[0].before.size(); ++i) {
    others += slopes[0].before[i] != slopes[0].after[i] ? 1U : 0U;
  }
  return "Slopes by the number of heads are others in " + std::to_string(others) + " of " +
         std::to_string(slopes[0].before.size()) + " heads: " + words;
}

std::string window_off_by_one_did(std::span<const Change> all) {
  return filtered(all, is_softmax).empty() ? ""
                                           : "With one token more, the window reaches further: " + distance_did(all);
}

std::string no_sink_did(std::span<const Change> all) {
  const std::vector<Change> weights = filtered(all, is_softmax);
  return weights.empty() ? ""
                         : "Without the sink, the tokens share all of a row's weight: its sum " +
                               mean_from_to(measured(weights, row_sum)) + ".";
}

std::string no_positions_did(std::span<const Change> all) {
  const std::string words = changed_by_up_to("weights", filtered(all, is_softmax));
  return words.empty() ? "" : "Without positions, only the words count, not their order: " + words;
}

std::string sines_first_did(std::span<const Change> all) {
  const std::string words = changed_by_up_to("encodings", filtered(all, are_encodings));
  return words.empty() ? "" : "With all sines first, a column belongs to another frequency: " + words;
}

std::string half_exponent_did(std::span<const Change> all) {
  const auto are_frequencies = [](const Change& change) { return change.name == "frequencies"; };
  const auto lowest = [](Row row, std::size_t) { return static_cast<double>(row.back()); };
  const std::vector<Change> frequencies = filtered(all, are_frequencies);
  return frequencies.empty() ? ""
                             : "With half the exponent, frequencies fall more slowly: the lowest " +
                                   mean_from_to(measured(frequencies, lowest)) + ".";
}

std::string positions_from_one_did(std::span<const Change> all) {
  const std::string words = changed_by_up_to("inputs with positions", filtered(all, have_positions));
  return words.empty() ? "" : "Counted from 1, each token has the position of the next: " + words;
}

std::string positions_after_projection_did(std::span<const Change> all) {
  const std::string words = changed_by_up_to("weights", filtered(all, is_softmax));
  return words.empty() ? "" : "Added after the projections, positions are the same in queries and keys: " + words;
}

std::string no_row_sum_did(std::span<const Change> all) {
  const auto are_gradients = [](const Change& change) { return change.name == "grad_scaled_attn_scores"; };
  const auto off_zero = [](Row row, std::size_t place) { return std::abs(row_sum(row, place)); };
  const std::vector<Change> gradients = filtered(all, are_gradients);
  return gradients.empty()
             ? ""
             : "Without the row's sum, the gradients of a row no longer sum to 0: the size of their sum " +
                   mean_from_to(measured(gradients, off_zero)) + ".";
}

std::string unscaled_gradient_did(std::span<const Change> all) {
  const auto are_gradients = [](const Change& change) {
    return change.name == "grad_queries" || change.name == "grad_keys";
  };
  const auto largest_size = [](Row row, std::size_t) {
    return static_cast<double>(std::abs(*std::ranges::max_element(row, {}, [](float x) { return std::abs(x); })));
  };
  const std::vector<Change> gradients = filtered(all, are_gradients);
  return gradients.empty() ? ""
                           : "Not divided, the gradients of queries and keys are too large: the largest of a row " +
                                 mean_from_to(measured(gradients, largest_size)) + ".";
}

std::string untransposed_weights_did(std::span<const Change> all) {
  const auto are_gradients = [](const Change& change) { return change.name == "grad_values"; };
  const std::string words = changed_by_up_to("gradients of values", filtered(all, are_gradients));
  return words.empty()
             ? ""
             : "Not transposed, the weights hand each value the errors of earlier tokens, not of later ones: " + words;
}

std::string untransposed_scores_did(std::span<const Change> all) {
  const auto are_gradients = [](const Change& change) { return change.name == "grad_keys"; };
  const std::string words = changed_by_up_to("gradients of keys", filtered(all, are_gradients));
  return words.empty() ? "" : "Not transposed, the gradients of scores reach the keys of other tokens: " + words;
}

}  // namespace attn
