#include "walk/what_if.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tensor/operations.hpp"
#include "walk/change.hpp"
#include "walk/effects.hpp"
#include "walk/idle.hpp"
#include "walk/mistake_rules.hpp"
#include "walk/mistakes.hpp"
#include "walk/rotation.hpp"

namespace attn {
namespace {

// ---- What rules are about, and how a row is measured ----

double largest(Row row, std::size_t) { return static_cast<double>(*std::max_element(row.begin(), row.end())); }

double largest_size(Row row, std::size_t) {
  return static_cast<double>(std::abs(*std::ranges::max_element(row, {}, [](float x) { return std::abs(x); })));
}

double size_of_sum(Row row, std::size_t place) { return std::abs(row_sum(row, place)); }

double last(Row row, std::size_t) { return static_cast<double>(row.back()); }

/// How far away, on average, the tokens are that a row of weights attends to.
double distance(Row row, std::size_t place) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    sum += static_cast<double>(row[i]) * (static_cast<double>(place) - static_cast<double>(i));
  }
  return sum;
}

// ---- Facts of tensors ----

template <std::int64_t axis, std::int64_t size>
bool is_of_size(const Tensor& tensor) {
  return tensor.size(axis) == size;
}

bool is_scaled(const Tensor& tensor) { return tensor.operation().facts().root_of > 0; }
bool is_scaled_by_one(const Tensor& tensor) { return tensor.operation().facts().root_of == 1; }
bool drops_nothing(const Tensor& tensor) { return tensor.operation().facts().p == 0; }
bool drops_all(const Tensor& tensor) { return tensor.operation().facts().p == 1; }
bool is_mask(const Tensor& tensor) { return tensor.operation().facts().is_by_tokens; }
bool has_one_order(const Tensor& tensor) {
  const auto axis = static_cast<std::size_t>(tensor.operation().facts().axis);
  const std::int64_t heads = tensor.operands()[0].shape()[axis];
  return heads == 1 || heads == tensor.shape()[axis];
}
bool has_own_masks(const Tensor& tensor) { return tensor.kind() == Kind::masked && tensor.operands()[1].dim() == 3; }
bool hides_nothing(const Tensor& tensor) {
  const auto contents = tensor.operands()[1].array().contents();
  return std::ranges::none_of(std::get<Block<bool>>(*contents), [](bool hidden) { return hidden; });
}
bool is_rotated(const Tensor& tensor) { return rotation_of(tensor).has_value(); }
bool is_by_halves(const Tensor& tensor) { return rotation_of(tensor)->pairs == Pairs::halves; }
bool have_power_of_two_slopes(const Tensor& biases) {
  return std::has_single_bit(static_cast<std::uint64_t>(biases.operands()[0].size(0)));
}
bool has_window(const Tensor& tensor) { return tensor.operation().facts().window > 0; }
bool has_wide_window(const Tensor& tensor) { return tensor.operation().facts().window >= tensor.size(-1); }

/// Returns true for the gradient of scores, divided as they are; masked or not.
bool is_scores_gradient(const Tensor& tensor) {
  const Tensor& divided = tensor.kind() == Kind::masked ? tensor.operands()[0] : tensor;
  return divided.kind() == Kind::scaled && divided.operands()[0].kind() == Kind::softmax_gradient;
}

bool are_encodings(const Tensor& tensor) { return angles_of(tensor) != nullptr; }
bool are_given(const Tensor& tensor) { return tensor.operands().empty(); }

bool are_keys_gradients(const Tensor& tensor) {
  return tensor.kind() == Kind::matmul && tensor.operands()[0].kind() == Kind::transpose &&
         is_scores_gradient(tensor.operands()[0].operands()[0]);
}

bool are_values_gradients(const Tensor& tensor) {
  return tensor.kind() == Kind::matmul && tensor.operands()[0].kind() == Kind::transpose &&
         tensor.operands()[0].operands()[0].kind() == Kind::softmax;
}

bool are_scaled_gradients(const Tensor& tensor) {
  return (tensor.kind() == Kind::matmul && is_scores_gradient(tensor.operands()[0])) || are_keys_gradients(tensor);
}

// ---- Reasons that several rules share ----

constexpr Reason one_token = {is_mask, is_of_size<-1, 1>, "a single token has no later one; try --tokens 6"};
constexpr Reason no_padding = {has_own_masks, hides_nothing,
                               "no sequence has padding; try --tokens 6 --valid-length 4"};
constexpr Reason one_distance = {are_distances, is_of_size<-1, 1>,
                                 "a single token is at distance 0 from itself; try --tokens 6"};
constexpr Reason one_pair = {are_angles, is_of_size<-1, 1>,
                             "there is a single frequency, 1, and a single pair of columns"};
constexpr Reason one_weight = {is_a<Kind::softmax>, is_of_size<-1, 1>,
                               "a single token has a single weight; try --tokens 6"};

// ---- The rules ----

constexpr WhatIf rules[] = {
    {.name = "no-scaling",
     .effect = {"Without scaling, a row's largest weight", is_softmax, {}, largest},
     .reason =
         {is_scaled, is_scaled_by_one,
          "the keys' dimension is 1, and so is its square root; try trainable --d-out 256 --init randn --tokens 8 "
          "--what-if no-scaling"},
     .keeps_gradients = true},
    {.name = "no-mask",
     .effect = {.own = no_mask_did},
     .reason = no_padding,
     .other_reason = one_token,
     .keeps_gradients = true},
    {.name = "mask-after-softmax",
     .effect = {"Masked after softmax, a row keeps only the weight of the tokens it may see: its sum",
                is_softmax,
                {},
                row_sum},
     .reason = no_padding,
     .other_reason = one_token},
    {.name = "no-rescale",
     .effect = {.own = no_rescale_did},
     .reason = {is_a<Kind::dropout>, drops_nothing,
                "with p = 0 nothing is dropped, and the factor is 1; try --dropout 0.5"},
     .other_reason = {is_a<Kind::dropout>, drops_all, "with p = 1 everything is dropped; try --dropout 0.5"}},
    {.name = "softmax-dim-0", .effect = {.own = softmax_dim_0_did}},
    {.name = "same-weights", .effect = {.own = same_weights_did}},
    {.name = "tiled-heads",
     .effect = {.own = tiled_heads_did},
     .reason = {is_a<Kind::repeat>, has_one_order,
                "with one head of keys, or one for each query head, both orders are the same; try --num-kv-heads 2"}},
    {.name = "mask-from-first-key", .effect = {.own = masked_from_first_key_did}},
    {.name = "mask-of-first-entry",
     .effect = {.own = mask_of_first_entry_did},
     .reason = {has_own_masks, is_of_size<0, 1>, "a single sequence has only its own mask; try --batch 2"},
     .other_reason = no_padding},
    {.name = "no-block-rescale", .effect = {.own = no_block_rescale_did}, .reason = {.own = same_maximum_is_idle}},
    {.name = "mask-padded-queries", .effect = {.own = mask_padded_queries_did}, .reason = no_padding},
    {.name = "halves-for-pairs",
     .effect = {"With halves for pairs, other columns are rotated together", is_score, "scores"},
     .reason = {is_rotated, is_of_size<-1, 2>, "two columns are a single pair; try --d-out-kq 4"},
     .other_reason = {is_rotated, is_by_halves, "the columns are paired by halves already; try --pair-distance 1"}},
    {.name = "rotary-values",
     .effect = {"With rotated values, a value depends on its token's position", weighs_values, "context vectors"},
     .reason = {.own = no_rotated_values_is_idle}},
    {.name = "position-off-by-one",
     .effect = {"With queries one position too far, scores are those of the next distance", is_score, "they"}},
    {.name = "bias-sign",
     .effect =
         {"With the opposite sign, distant tokens gain: the mean distance of a row's weight", is_softmax, {}, distance},
     .reason = one_distance},
    {.name = "bias-after-softmax", .effect = {.own = bias_after_softmax_did}, .reason = one_distance},
    {.name = "bias-before-scaling",
     .effect =
         {"Scaled like the scores, biases are too weak: the mean distance of a row's weight", is_softmax, {}, distance},
     .reason = {is_scaled, is_scaled_by_one, "the keys of a head have dimension 1, and scaling divides by 1"},
     .other_reason = one_distance},
    {.name = "same-slope",
     .effect = {"With one slope for all, no head sees further than another", is_softmax, "weights"},
     .reason = {is_alibi, is_of_size<0, 1>, "a single head has only its own slope"},
     .other_reason = one_distance},
    {.name = "slopes-by-count",
     .effect = {.own = slopes_by_count_did},
     .reason = {is_alibi, have_power_of_two_slopes,
                "the number of heads is a power of two; try --num-heads 3 --d-out 6"},
     .other_reason = one_distance},
    {.name = "window-off-by-one",
     .effect = {"With one token more, the window reaches further: the mean distance of a row's weight",
                is_softmax,
                {},
                distance},
     .reason = {has_window, has_wide_window,
                "the window shows every token to the last already; try --tokens 6 --window 3"}},
    {.name = "no-sink",
     .effect = {"Without the sink, the tokens share all of a row's weight: its sum", is_softmax, {}, row_sum}},
    {.name = "no-positions",
     .effect = {"Without positions, only the words count, not their order", is_softmax, "weights"}},
    {.name = "sines-first",
     .effect = {"With all sines first, a column belongs to another frequency", are_encodings, "encodings"},
     .reason = one_pair},
    {.name = "half-exponent",
     .effect = {"With half the exponent, frequencies fall more slowly: the lowest", are_given, {}, last},
     .reason = one_pair},
    {.name = "positions-from-one",
     .effect = {"Counted from 1, each token has the position of the next", adds_positions, "inputs with positions"}},
    {.name = "positions-after-projection",
     .effect = {"Added after the projections, positions are the same in queries and keys", is_softmax, "weights"},
     .reason = {.own = other_length_is_idle}},
    {.name = "no-row-sum",
     .effect = {"Without the row's sum, the gradients of a row no longer sum to 0: the size of their sum",
                is_a<Kind::softmax_gradient>,
                {},
                size_of_sum},
     .keeps_gradients = true},
    {.name = "unscaled-gradient",
     .effect = {"Not divided, the gradients of queries and keys are too large: the largest of a row",
                are_scaled_gradients,
                {},
                largest_size},
     .reason = {is_scaled, is_scaled_by_one, "the keys' dimension is 1, and so is its square root; try --d-out 2"},
     .other_reason = one_weight,
     .keeps_gradients = true},
    {.name = "untransposed-weights",
     .effect = {"Not transposed, the weights hand each value the errors of earlier tokens, not of later ones",
                are_values_gradients, "gradients of values"},
     .reason = one_weight,
     .keeps_gradients = true},
    {.name = "untransposed-scores",
     .effect = {"Not transposed, the gradients of scores reach the keys of other tokens", are_keys_gradients,
                "gradients of keys"},
     .reason = one_weight,
     .keeps_gradients = true},
};

/// Returns true if weights are read from the reader's file.
bool has_given_weights(std::span<const Step> steps) {
  return std::ranges::any_of(steps, [](const Step& step) {
    const bool is_weight = step.tensor && step.name != "inputs" && step.name != "batch" && step.name != "second_input";
    return is_weight && data_of(*step.tensor).operands().empty() &&
           data_of(*step.tensor).operation().facts().is_from_file;
  });
}

}  // namespace

std::span<const WhatIf> all_what_ifs() { return rules; }

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

std::string why_idle(const WhatIf& what_if, std::span<const Step> as_is) {
  const std::string reason = sentence_of(what_if.reason, as_is);
  return reason.empty() ? sentence_of(what_if.other_reason, as_is) : reason;
}

std::string what_the_change_did(const WhatIf& what_if, std::span<const Step> as_is, std::span<const Step> changed) {
  const std::vector<Change> all = changes(as_is, changed);
  if (!all.empty()) {
    const std::string sentence = sentence_of(what_if.effect, all);
    return sentence.empty() ? "The weights stay the same; other numbers change." : sentence;
  }
  std::string reason = why_idle(what_if, as_is);
  if (has_given_weights(as_is)) {
    reason = reason.substr(0, reason.find("; try "));  // other sizes would need other weights
  }
  return reason.empty() ? "No number changed." : "No number changed: " + reason + ".";
}

}  // namespace attn
