#include "walk/what_if.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "walk/change.hpp"
#include "walk/effects.hpp"
#include "walk/idle.hpp"
#include "walk/mistakes.hpp"

namespace attn {
namespace {

double largest(Row row, std::size_t) { return static_cast<double>(*std::max_element(row.begin(), row.end())); }

/// Weights that depend on a mask: softmax of masked scores, or masked weights divided by their sum.
bool is_masked(const Change& change) { return is_softmax(change) || change.was->kind() == Kind::divided; }

bool is_dropped(const Change& change) { return change.was->kind() == Kind::dropout; }

// --- The effect of each rule; empty if the numbers it describes did not change ---

std::string no_scaling_did(std::span<const Change> all) {
  const std::vector<Change> weights = filtered(all, is_softmax);
  return weights.empty() ? ""
                         : "Without scaling, a row's largest weight " + mean_from_to(measured(weights, largest)) + ".";
}

/// The mask of these weights, if their scores are masked.
std::optional<Tensor> mask_of(const Change& weights) {
  const Tensor* at = weights.was;
  while (at->kind() != Kind::masked && !at->operands().empty()) {
    at = &at->operands()[0];
  }
  return at->kind() == Kind::masked ? std::optional(at->operands()[1]) : std::nullopt;
}

/// The mask of these weights, if each entry of the batch has its own.
std::optional<Tensor> padding_of(const Change& weights) {
  const std::optional<Tensor> mask = mask_of(weights);
  return mask && mask->dim() == 3 ? mask : std::nullopt;
}

/// How much weight of each row goes to padding, for rows that have some, from an entry of the batch on.
Measured on_padding(std::span<const Change> weights, std::int64_t first_entry = 0) {
  Measured result;
  for (const Change& change : weights) {
    const auto contents = padding_of(change).value().array().contents();
    const auto& hidden = std::get<Block<bool>>(*contents);
    const auto width = static_cast<std::size_t>(change.shape.back());
    const auto first = static_cast<std::size_t>(first_entry * change.shape[1]) * width;
    for (std::size_t row = first; row < change.before.size(); row += width) {
      double before = 0;
      double after = 0;
      for (std::size_t i = row; i < row + width; ++i) {
        before += hidden.data()[i] ? static_cast<double>(change.before[i]) : 0;
        after += hidden.data()[i] ? static_cast<double>(change.after[i]) : 0;
      }
      if (std::any_of(hidden.data() + row, hidden.data() + row + width, [](bool one) { return one; })) {
        result.before.push_back(before);
        result.after.push_back(after);
      }
    }
  }
  return result;
}

std::string no_mask_did(std::span<const Change> all) {
  const std::vector<Change> weights = filtered(all, is_masked);
  if (weights.empty()) {
    return "";
  }
  return !padding_of(weights.front())
             ? "Without a mask, tokens see later ones: a row's weight right of the diagonal " +
                   mean_from_to(measured(weights, later)) + "."
             : "Without a mask, tokens see padding: a row's weight on it " + mean_from_to(on_padding(weights)) + ".";
}

std::string mask_of_first_entry_did(std::span<const Change> all) {
  const std::vector<Change> weights = filtered(all, is_masked);
  return weights.empty()
             ? ""
             : "With the first sequence's mask, padding of the others stays visible: a row's weight on it " +
                   mean_from_to(on_padding(weights, 1)) + ".";
}

std::string mask_padded_queries_did(std::span<const Change> all) {
  std::size_t lost = 0;
  std::size_t rows = 0;
  for (const Change& change : filtered(all, is_softmax)) {
    const auto width = static_cast<std::size_t>(change.shape.back());
    for (std::size_t row = 0; row < change.after.size(); row += width) {
      lost += std::isnan(change.after[row]) && !std::isnan(change.before[row]) ? 1U : 0U;
      ++rows;
    }
  }
  return lost == 0 ? ""
                   : "A query of padding has only scores of -inf, and softmax gives nan: in " + std::to_string(lost) +
                         " of " + std::to_string(rows) + " rows of weights.";
}

std::string mask_after_softmax_did(std::span<const Change> all) {
  const std::vector<Change> weights = filtered(all, is_softmax);
  return weights.empty() ? ""
                         : "Masked after softmax, a row keeps only the weight of the tokens it may see: its sum " +
                               mean_from_to(measured(weights, row_sum)) + ".";
}

std::string no_rescale_did(std::span<const Change> all) {
  std::string sums;
  std::vector<Change> left = filtered(all, is_dropped);
  while (!left.empty()) {  // by name, because rows of ones and rows of weights differ
    const std::string name = left.front().name;
    const auto others =
        std::stable_partition(left.begin(), left.end(), [&](const Change& change) { return change.name == name; });
    const auto called_so = std::span<const Change>(left).first(static_cast<std::size_t>(others - left.begin()));
    sums += (sums.empty() ? "" : ", of ") + name + " " + mean_from_to(measured(called_so, row_sum));
    left.erase(left.begin(), others);
  }
  return sums.empty()
             ? "Without the factor 1 / (1 - p), the output of dropout stays the same."
             : "Without the factor 1 / (1 - p), kept entries are not scaled up: the sum of a row of " + sums + ".";
}

/// "between 0.75 and 1.3", "3"
std::string range_words(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string from = decimals(*least, 2);
  const std::string to = decimals(*most, 2);
  return from == to ? to : "between " + from + " and " + to;
}

/// The sums of weights [..., n, n] over dim 0.
std::string sums_over_dim_0(std::span<const Change> weights) {
  const auto has_batch = [](const Change& change) { return change.shape.size() > 2; };
  if (std::all_of(weights.begin(), weights.end(), has_batch)) {
    return "Over dim 0, the batch, weights at the same position of each sequence sum to 1";
  }
  return std::string("Over dim 0, columns sum to 1") +
         (std::any_of(weights.begin(), weights.end(), has_batch)
              ? ", and in a batch the weights at the same position of each sequence"
              : "");
}

/// "14 of 24 rows sum to between 0.16 and 3"
std::string some_rows(const std::vector<double>& sums, std::size_t count) {
  return (sums.size() == 1 ? "one" : std::to_string(sums.size())) + " of " + std::to_string(count) +
         (sums.size() == 1 ? " rows sums to " : " rows sum to ") + range_words(sums);
}

/// "the other 10 rows contain nan"
std::string nan_rows(std::size_t told, std::size_t count) {
  return told == 0           ? "each row contains nan"
         : count - told == 1 ? "the other one contains nan"
                             : "the other " + std::to_string(count - told) + " rows contain nan";
}

/// Returns true if no weight of a token that the mask shows is nan.
bool has_nan_for_hidden_tokens_alone(const Change& weights) {
  const std::optional<Tensor> mask = mask_of(weights);
  const auto contents = mask ? mask->array().contents() : std::make_shared<const Contents>(Block<bool>(Shape{1}));
  const auto& hidden = std::get<Block<bool>>(*contents);
  for (std::size_t i = 0; i < weights.after.size(); ++i) {
    if (std::isnan(weights.after[i]) && !hidden.data()[i % hidden.size()]) {
      return false;
    }
  }
  return true;
}

std::string softmax_dim_0_did(std::span<const Change> all) {
  const std::vector<Change> weights = filtered(all, is_softmax);
  if (weights.empty()) {
    return "";
  }
  std::vector<double> sums;
  std::size_t count = 0;
  for (const Change& change : weights) {
    const auto width = static_cast<std::size_t>(change.shape.back());
    for (std::size_t row = 0; row < change.after.size() / width; ++row) {
      const double sum = row_sum(Row(change.after).subspan(row * width, width), 0);
      ++count;
      if (!std::isnan(sum)) {
        sums.push_back(sum);
      }
    }
  }
  if (sums.size() == count) {
    return sums_over_dim_0(weights) + "; a row sums to " + range_words(sums) + ".";
  }
  const bool is_by_mask = std::all_of(weights.begin(), weights.end(), has_nan_for_hidden_tokens_alone);
  return sums_over_dim_0(weights) + (sums.empty() ? "" : "; " + some_rows(sums, count)) +
         (is_by_mask ? "; where all scores of a position are masked, nothing is left to normalise: " : "; ") +
         nan_rows(sums.size(), count) + ".";
}

/// Returns true for scores of a sequence with itself, where [..., i, j] and [..., j, i] belong to the same two tokens.
bool is_mutual(const Change& scores) {
  const auto source = [](const Tensor& tensor) {
    const Tensor* at = &tensor;
    while (!at->operands().empty()) {
      at = &at->operands()[0];
    }
    return at->id();
  };
  const std::vector<Tensor>& sides = scores.made->operands();
  const std::size_t axes = scores.shape.size();
  return axes > 1 && scores.shape.back() > 1 && scores.shape[axes - 2] == scores.shape.back() &&
         source(sides[0]) == source(sides[1]);
}

/// The largest difference between scores [..., n, n] and their transpose.
double asymmetry(const Shape& shape, std::span<const float> scores) {
  const auto n = static_cast<std::size_t>(shape.back());
  double most = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::size_t row = i / n % n;
    const std::size_t mirrored = i - row * n - i % n + i % n * n + row;
    most = std::max(most, std::abs(static_cast<double>(scores[i]) - static_cast<double>(scores[mirrored])));
  }
  return most;
}

std::string same_weights_did(std::span<const Change> all) {
  double before = 0;
  double after = 0;
  double moved = 0;
  bool are_finite = true;
  bool are_mutual = false;
  const std::vector<Change> scores = filtered(all, is_score);
  for (const Change& change : scores) {
    are_finite = are_finite && is_finite(change.before) && is_finite(change.after);
    moved = std::max(moved, largest_move(change));
    if (is_mutual(change)) {
      are_mutual = true;
      before = std::max(before, asymmetry(change.shape, change.before));
      after = std::max(after, asymmetry(change.shape, change.after));
    }
  }
  const std::string with = "With W_query for the keys too, ";
  if (scores.empty()) {
    return with + "the scores stay the same.";
  }
  if (!are_finite) {
    return with + "the scores change, and some are inf or nan.";
  }
  if (!are_mutual) {
    const std::string words = decimals(moved, 4);
    return with + "scores change by up to " + (words == "0" ? text::factor_text(moved) : words) + ".";
  }
  return with + "the scores are symmetric: the largest difference between [i, j] and [j, i] " + from_to(before, after) +
         ".";
}

/// Returns true if weights are read from the reader's file.
bool has_given_weights(std::span<const Step> steps) {
  return std::ranges::any_of(steps, [](const Step& step) {
    const bool is_weight = step.tensor && step.name != "inputs" && step.name != "batch" && step.name != "second_input";
    return is_weight && data_of(*step.tensor).operands().empty() &&
           data_of(*step.tensor).operation().facts().is_from_file;
  });
}

}  // namespace

std::span<const WhatIf> all_what_ifs() {
  static constexpr std::array<WhatIf, 30> table = {{
      {"no-scaling", no_scaling_did, no_scaling_is_idle, true},
      {"no-mask", no_mask_did, no_mask_is_idle, true},
      {"mask-after-softmax", mask_after_softmax_did, no_mask_is_idle},
      {"no-rescale", no_rescale_did, no_rescale_is_idle},
      {"softmax-dim-0", softmax_dim_0_did, never_idle},
      {"same-weights", same_weights_did, never_idle},
      {"tiled-heads", tiled_heads_did, one_group_is_idle},
      {"mask-from-first-key", masked_from_first_key_did, never_idle},
      {"mask-of-first-entry", mask_of_first_entry_did, one_sequence_is_idle},
      {"no-block-rescale", no_block_rescale_did, same_maximum_is_idle},
      {"mask-padded-queries", mask_padded_queries_did, no_padding_is_idle},
      {"halves-for-pairs", halves_for_pairs_did, same_pairs_is_idle},
      {"rotary-values", rotary_values_did, no_rotated_values_is_idle},
      {"position-off-by-one", position_off_by_one_did, never_idle},
      {"bias-sign", bias_sign_did, one_distance_is_idle},
      {"bias-after-softmax", bias_after_softmax_did, one_distance_is_idle},
      {"bias-before-scaling", bias_before_scaling_did, unscaled_bias_is_idle},
      {"same-slope", same_slope_did, one_slope_is_idle},
      {"slopes-by-count", slopes_by_count_did, same_slopes_is_idle},
      {"window-off-by-one", window_off_by_one_did, wide_window_is_idle},
      {"no-sink", no_sink_did, never_idle},
      {"no-positions", no_positions_did, never_idle},
      {"sines-first", sines_first_did, one_pair_is_idle},
      {"half-exponent", half_exponent_did, one_pair_is_idle},
      {"positions-from-one", positions_from_one_did, never_idle},
      {"positions-after-projection", positions_after_projection_did, other_length_is_idle},
      {"no-row-sum", no_row_sum_did, never_idle, true},
      {"unscaled-gradient", unscaled_gradient_did, unscaled_gradient_is_idle, true},
      {"untransposed-weights", untransposed_weights_did, one_weight_is_idle, true},
      {"untransposed-scores", untransposed_scores_did, one_weight_is_idle, true},
  }};
  return table;
}

Walkthrough changed(const Walkthrough& as_is, const WhatIf& what_if) {
  return as_is.rewritten(mistake_of(what_if.name, as_is.steps()).rule);
}

std::string sentence_of(const WhatIf& what_if) { return mistake_of(what_if.name, {}).sentence; }

bool applies(const WhatIf& what_if, std::span<const Step> as_is) {
  const auto is_gradient = [](const Step& step) {
    return step.tensor && step.tensor->kind() == Kind::softmax_gradient;
  };
  if (!what_if.keeps_gradients && std::ranges::any_of(as_is, is_gradient)) {
    return false;
  }
  Rewriter rewriter(mistake_of(what_if.name, as_is).rule);
  return std::any_of(as_is.begin(), as_is.end(),
                     [&](const Step& step) { return step.tensor && rewriter(*step.tensor).id() != step.tensor->id(); });
}

std::string what_the_change_did(const WhatIf& what_if, std::span<const Step> as_is, std::span<const Step> changed) {
  const std::vector<Change> all = changes(as_is, changed);
  if (!all.empty()) {
    const std::string sentence = what_if.did(all);
    return sentence.empty() ? "The weights stay the same; other numbers change." : sentence;
  }
  std::string reason = what_if.is_idle(as_is);
  if (has_given_weights(as_is)) {
    reason = reason.substr(0, reason.find("; try "));  // other sizes would need other weights
  }
  return reason.empty() ? "No number changed." : "No number changed: " + reason + ".";
}

}  // namespace attn
