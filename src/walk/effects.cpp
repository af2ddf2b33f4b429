#include "walk/effects.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "walk/change.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {

bool is_score(const Tensor& tensor) {
  switch (tensor.kind()) {
    case Kind::matvec:
    case Kind::matvecs:
    case Kind::dots:
    case Kind::pairwise_dots: return true;
    case Kind::matmul: {
      const Tensor& keys = tensor.operands()[1];
      const auto axes = keys.operation().facts().axes;
      return keys.kind() == Kind::transpose && std::max(axes[0], axes[1]) + 1 == keys.shape().size();
    }
    default: return false;
  }
}

bool is_softmax(const Tensor& tensor) { return softmax_of_weights(tensor) != nullptr; }

double row_sum(Row row, std::size_t) {
  double sum = 0;
  for (const float value : row) {
    sum += static_cast<double>(value);
  }
  return sum;
}

double later(Row row, std::size_t place) { return place < row.size() ? row_sum(row.subspan(place + 1), 0) : 0; }

namespace {

double largest_move(const Change& change) {
  double moved = 0;
  for (std::size_t i = 0; i < change.before.size(); ++i) {
    moved = std::max(moved, std::abs(static_cast<double>(change.before[i]) - static_cast<double>(change.after[i])));
  }
  return moved;
}

/// Weights that depend on a mask: softmax of masked scores, or masked weights divided by their sum.
bool is_masked(const Tensor& tensor) { return is_softmax(tensor) || tensor.kind() == Kind::divided; }

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

/// "scores change by up to 1.23."
std::string changed_by_up_to(const std::string& what, std::span<const Change> some) {
  const bool are_finite = std::ranges::all_of(
      some, [](const Change& change) { return is_finite(change.before) && is_finite(change.after); });
  double moved = 0;
  for (const Change& change : some) {
    moved = std::max(moved, largest_move(change));
  }
  const std::string words = decimals(moved, 4);
  return !are_finite ? what + " change, and some are inf or nan."
                     : what + " change by up to " + (words == "0" ? text::factor_text(moved) : words) + ".";
}

}  // namespace

std::string sentence_of(const Effect& effect, std::span<const Change> all) {
  if (effect.own != nullptr) {
    return effect.own(all);
  }
  const std::vector<Change> some = filtered(all, effect.of);
  const std::string words(effect.words);
  return some.empty()           ? ""
         : effect.moved.empty() ? words + ' ' + mean_from_to(measured(some, effect.measure)) + "."
                                : words + ": " + changed_by_up_to(std::string(effect.moved), some);
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

std::string no_rescale_did(std::span<const Change> all) {
  std::string sums;
  std::vector<Change> left = filtered(all, is_a<Kind::dropout>);
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

std::string tiled_heads_did(std::span<const Change> all) {
  const std::vector<Change> repeated = filtered(all, is_a<Kind::repeat>);
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
  for (const Change& change : filtered(all, is_a<Kind::masked>)) {
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
  const auto is_running_sum = [](const Tensor& tensor) {
    return tensor.kind() == Kind::added && tensor.operands()[1].kind() == Kind::sum;
  };
  const std::vector<Change> sums = filtered(all, is_running_sum);
  if (sums.empty()) {
    return "";
  }
  return "Without rescaling, earlier blocks count too much where a later one has a larger maximum: a row's sum of "
         "exponentials " +
         mean_from_to(measured({&sums.back(), 1}, row_sum)) + ".";
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

std::string slopes_by_count_did(std::span<const Change> all) {
  const std::vector<Change> biases = filtered(all, is_alibi);
  const std::vector<Change> weights = filtered(all, is_softmax);
  if (biases.empty() || weights.empty()) {
    return "";
  }
  const Numbers right = numbers_of(biases[0].was->operands()[0]);
  const Numbers slopes = numbers_of(biases[0].made->operands()[0]);
  std::size_t others = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    others += right[i] != slopes[i] ? 1U : 0U;
  }
  return "Slopes by the number of heads are others in " + std::to_string(others) + " of " +
         std::to_string(right.size()) + " heads: " + changed_by_up_to("weights", weights);
}

}  // namespace attn
