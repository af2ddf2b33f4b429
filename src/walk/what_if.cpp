#include "walk/what_if.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <variant>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "walk/mistakes.hpp"
#include "walk/walkthrough.hpp"

namespace attn {

struct Change {
  Shape shape;
  std::shared_ptr<const Contents> as_is;
  std::shared_ptr<const Contents> changed;
  const Tensor* was;   ///< the original tensor
  const Tensor* made;  ///< the changed tensor
  std::span<const float> before = floats(*as_is);
  std::span<const float> after = floats(*changed);

  static std::span<const float> floats(const Contents& contents) {
    const auto& values = std::get<Block<float>>(contents);
    return {values.data(), values.size()};
  }
};

namespace {

using Row = std::span<const float>;

// ---- What changed ----

bool is_finite(Row row) {
  return std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); });
}

/// The number with at most `digits` decimals; large numbers have only the digits that float32 holds.
std::string decimals(double value, int digits) {
  constexpr double large = 1e7;
  if (std::abs(value) >= large) {
    return text::factor_text(value);
  }
  std::string result = text::number_text(value, std::chars_format::fixed, digits);
  result.erase(result.find_last_not_of('0') + 1);
  if (result.back() == '.') {
    result.pop_back();
  }
  return result == "-0" ? "0" : result;
}

/// The float tensors of both walkthroughs whose numbers differ. The steps must outlive them.
std::vector<Change> changes(std::span<const Step> as_is, std::span<const Step> changed) {
  const auto is_floats = [](const Step& step) {
    return step.kind == Step::Kind::tensor && step.tensor->dtype() == DType::float32;
  };
  std::vector<Change> found;
  for (const StepPair& pair : pairs_of(as_is, changed)) {
    const bool are_both = pair.as_is != nullptr && pair.changed != nullptr;
    if (!are_both || !is_floats(*pair.as_is) || !is_floats(*pair.changed) ||
        pair.as_is->tensor->shape() != pair.changed->tensor->shape()) {
      continue;
    }
    Change change = {.shape = pair.as_is->tensor->shape(),
                     .as_is = pair.as_is->tensor->array().contents(),
                     .changed = pair.changed->tensor->array().contents(),
                     .was = &*pair.as_is->tensor,
                     .made = &*pair.changed->tensor};
    const auto is_equal = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (!std::equal(change.before.begin(), change.before.end(), change.after.begin(), is_equal)) {
      found.push_back(std::move(change));
    }
  }
  return found;
}

/// The changes of those original tensors for which `is_such` is true.
std::vector<Change> filtered(std::span<const Change> all, bool (*is_such)(const Tensor& was)) {
  std::vector<Change> wanted;
  std::ranges::copy_if(all, std::back_inserter(wanted), [&](const Change& change) { return is_such(*change.was); });
  return wanted;
}

/// "grows from 0.44 to 0.52", with enough digits to show the change, at most seven.
std::string from_to(double before, double after) {
  const auto words = [&](const std::string& from, const std::string& to) {
    return (after > before ? "grows from " : "falls from ") + from + " to " + to;
  };
  for (int digits = 2; digits <= 7; ++digits) {
    const std::string from = decimals(before, digits);
    const std::string to = decimals(after, digits);
    if (from != to) {
      return words(from, to);
    }
  }
  const std::string from = text::factor_text(before);
  const std::string to = text::factor_text(after);
  return from != to ? words(from, to) : "stays " + decimals(after, 2);
}

/// The change of a measure's mean over all finite rows: "grows from 0.44 to 0.52 on average".
std::string mean_from_to(std::span<const Change> some, Measure measure) {
  double before = 0;
  double after = 0;
  std::size_t rows = 0;
  std::size_t left_out = 0;
  for (const Change& change : some) {
    const auto width = static_cast<std::size_t>(change.shape.empty() ? 1 : change.shape.back());
    const auto height = static_cast<std::size_t>(change.shape.size() < 2 ? 1 : change.shape[change.shape.size() - 2]);
    const std::size_t earlier = width > height ? width - height : 0;
    for (std::size_t row = 0; row < change.before.size() / width; ++row) {
      const Row was = change.before.subspan(row * width, width);
      const Row is = change.after.subspan(row * width, width);
      if (is_finite(was) && is_finite(is)) {
        before += measure(was, was, earlier + row % height);
        after += measure(is, was, earlier + row % height);
        ++rows;
      } else {
        ++left_out;
      }
    }
  }
  if (rows == 0) {
    return "is unknown, because every row contains nan";
  }
  return from_to(before / static_cast<double>(rows), after / static_cast<double>(rows)) +
         (rows > 1 ? " on average" : "") +
         (left_out == 0   ? ""
          : left_out == 1 ? ", except for one row with nan"
                          : ", except for " + std::to_string(left_out) + " rows with nan");
}

/// Whether no number is inf or nan, before or after.
bool are_finite(std::span<const Change> some) {
  return std::ranges::all_of(some,
                             [](const Change& change) { return is_finite(change.before) && is_finite(change.after); });
}

/// "scores change by up to 1.23"
std::string changed_by_up_to(const std::string& what, std::span<const Change> some) {
  if (!are_finite(some)) {
    return what + " change, and some are inf or nan";
  }
  double moved = 0;
  for (const Change& change : some) {
    for (std::size_t i = 0; i < change.before.size(); ++i) {
      moved = std::max(moved, std::abs(static_cast<double>(change.before[i]) - static_cast<double>(change.after[i])));
    }
  }
  const std::string words = decimals(moved, 4);
  return what + " change by up to " + (words == "0" ? text::factor_text(moved) : words);
}

// ---- What rules are about, and how a row is measured ----

/// Returns true for the scores of queries with the keys of several tokens.
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

/// Weights that depend on a mask: softmax of masked scores, or masked weights divided by their sum.
bool is_masked(const Tensor& tensor) { return is_softmax(tensor) || tensor.kind() == Kind::divided; }

bool is_running_sum(const Tensor& tensor) {
  return tensor.kind() == Kind::added && tensor.operands()[1].kind() == Kind::sum;
}

double largest(Row row, Row, std::size_t) { return static_cast<double>(*std::ranges::max_element(row)); }

double smallest(Row row, Row, std::size_t) { return static_cast<double>(*std::ranges::min_element(row)); }

double sum_of(Row row, Row, std::size_t) { return std::accumulate(row.begin(), row.end(), 0.0); }

double size_of_sum(Row row, Row was, std::size_t place) { return std::abs(sum_of(row, was, place)); }

double last(Row row, Row, std::size_t) { return static_cast<double>(row.back()); }

/// The weight of tokens that had none.
double weight_of_hidden(Row row, Row was, std::size_t) {
  return std::inner_product(row.begin(), row.end(), was.begin(), 0.0, std::plus<>(),
                            [](float is, float before) { return before == 0 ? static_cast<double>(is) : 0; });
}

/// The number of tokens that have weight.
double seen(Row row, Row, std::size_t) {
  return static_cast<double>(std::ranges::count_if(row, [](float weight) { return weight != 0; }));
}

/// How far away, on average, the tokens are that a row of weights attends to.
double distance(Row row, Row, std::size_t place) {
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

// ---- What rules do that no measure of rows tells ----

/// The largest difference between scores [..., n, n] and their transpose.
double asymmetry(const Shape& shape, Row scores) {
  const auto n = static_cast<std::size_t>(shape.back());
  double most = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::size_t row = i / n % n;
    const std::size_t mirrored = i - row * n - i % n + i % n * n + row;
    most = std::max(most, std::abs(static_cast<double>(scores[i]) - static_cast<double>(scores[mirrored])));
  }
  return most;
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

std::string same_weights_did(std::span<const Change> all) {
  const std::vector<Change> scores = filtered(all, is_score);
  const std::string with = "With W_query for the keys too, ";
  if (scores.empty()) {
    return with + "the scores stay the same";
  }
  std::vector<Change> mutual = scores;
  std::erase_if(mutual, [](const Change& change) { return !is_mutual(change); });
  if (mutual.empty() || !are_finite(scores)) {
    return with + changed_by_up_to("scores", scores);
  }
  double before = 0;
  double after = 0;
  for (const Change& change : mutual) {
    before = std::max(before, asymmetry(change.shape, change.before));
    after = std::max(after, asymmetry(change.shape, change.after));
  }
  return with + "the scores are symmetric: the largest difference between [i, j] and [j, i] " + from_to(before, after);
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
                         " of " + std::to_string(rows) + " rows of weights";
}

// ---- Why rules change no number ----

/// Returns true if there are tensors of this kind, and the fact holds for all of them.
bool all_such(std::span<const Step> steps, bool (*of)(const Tensor&), bool (*fact)(const Tensor&)) {
  bool any = false;
  for (const Step& step : steps) {
    if (step.tensor && of(*step.tensor)) {
      any = true;
      if (!fact(*step.tensor)) {
        return false;
      }
    }
  }
  return any;
}

std::string same_maximum_is_idle(std::span<const Step> steps) {
  const auto is_factor = [](const Tensor& tensor) {  // exp(row_max - new_row_max)
    return tensor.kind() == Kind::exp && tensor.operands()[0].kind() == Kind::subtracted &&
           tensor.operands()[0].operands()[0].kind() != Kind::scaled;
  };
  const auto is_one = [](const Tensor& tensor) {
    const auto contents = tensor.array().contents();
    return std::ranges::all_of(std::get<Block<float>>(*contents), [](float factor) { return factor == 1; });
  };
  return std::ranges::none_of(steps, [&](const Step& step) { return step.tensor && is_factor(*step.tensor); })
             ? "a single block has none before it"
         : all_such(steps, is_factor, is_one) ? "the first block has the largest score of every row"
                                              : "";
}

std::string no_rotated_values_is_idle(std::span<const Step> steps) {
  const auto rotated =
      std::ranges::find_if(steps, [](const Step& step) { return step.tensor && rotation_of(*step.tensor); });
  const auto contexts =
      std::ranges::find_if(steps, [](const Step& step) { return step.tensor && weighs_values(*step.tensor); });
  if (rotated == steps.end() || contexts == steps.end()) {
    return "";
  }
  const Tensor& values = contexts->tensor->operands()[1];
  return values.size(-1) != rotated->tensor->size(-1)
             ? "only values as long as keys can be rotated like them; try --d-out 4"
         : values.size(-2) == 1 ? "the only token is at position 0, where nothing turns; try --tokens 6"
                                : "";
}

std::string other_length_is_idle(std::span<const Step> steps) {
  const auto other = std::ranges::find_if(steps, [](const Step& step) {
    return step.tensor && projects_inputs(*step.tensor) && step.tensor->size(-1) != step.tensor->operands()[0].size(-1);
  });
  return other == steps.end()
             ? ""
             : "only to queries, keys and values as long as the inputs can positions be added; try --d-out " +
                   std::to_string(other->tensor->operands()[0].size(-1));
}

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
     .effect = {"Without a mask, tokens see what it hides: a row's weight there", is_masked, {}, weight_of_hidden},
     .reason = no_padding,
     .other_reason = one_token,
     .keeps_gradients = true},
    {.name = "mask-after-softmax",
     .effect = {"Masked after softmax, a row keeps only the weight of the tokens it may see: its sum",
                is_softmax,
                {},
                sum_of},
     .reason = no_padding,
     .other_reason = one_token},
    {.name = "no-rescale",
     .effect = {"Without the factor 1 / (1 - p), kept entries are not scaled up: a row's sum",
                is_a<Kind::dropout>,
                {},
                sum_of},
     .reason = {is_a<Kind::dropout>, drops_nothing,
                "with p = 0 nothing is dropped, and the factor is 1; try --dropout 0.5"},
     .other_reason = {is_a<Kind::dropout>, drops_all, "with p = 1 everything is dropped; try --dropout 0.5"}},
    {.name = "softmax-dim-0",
     .effect = {"Taken over dim 0, softmax no longer makes rows sum to 1: a row's sum", is_softmax, {}, sum_of}},
    {.name = "same-weights", .effect = {.own = same_weights_did}},
    {.name = "tiled-heads",
     .effect = {"With tiled heads, query heads use the keys of other groups", is_score, "scores"},
     .reason = {is_a<Kind::repeat>, has_one_order,
                "with one head of keys, or one for each query head, both orders are the same; try --num-kv-heads 2"}},
    {.name = "mask-from-first-key",
     .effect = {"Counted from the first key, the mask hides earlier tokens too: how many a query sees",
                is_softmax,
                {},
                seen}},
    {.name = "mask-of-first-entry",
     .effect = {"With the first sequence's mask, padding of the others stays visible: a row's weight on it",
                is_masked,
                {},
                weight_of_hidden},
     .reason = {has_own_masks, is_of_size<0, 1>, "a single sequence has only its own mask; try --batch 2"},
     .other_reason = no_padding},
    {.name = "no-block-rescale",
     .effect =
         {"Without rescaling, earlier blocks count too much where a later one has a larger maximum: a row's sum of "
          "exponentials",
          is_running_sum,
          {},
          sum_of},
     .reason = {.own = same_maximum_is_idle}},
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
    {.name = "bias-after-softmax",
     .effect = {"Added after softmax, biases are weights: a row's smallest", is_softmax, {}, smallest},
     .reason = one_distance},
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
     .effect = {"Slopes by the number of heads are others than those of a power of two", is_softmax, "weights"},
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
     .effect = {"Without the sink, the tokens share all of a row's weight: its sum", is_softmax, {}, sum_of}},
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
                largest},
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

std::string sentence_of(const Reason& reason, std::span<const Step> steps) {
  if (reason.own != nullptr) {
    return reason.own(steps);
  }
  return reason.of != nullptr && all_such(steps, reason.of, reason.fact) ? std::string(reason.words) : "";
}

std::string sentence_of(const Effect& effect, std::span<const Change> all) {
  if (effect.own != nullptr) {
    return effect.own(all);
  }
  const std::vector<Change> some = filtered(all, effect.of);
  const std::string words(effect.words);
  return some.empty()           ? ""
         : effect.moved.empty() ? words + ' ' + mean_from_to(some, effect.measure)
                                : words + ": " + changed_by_up_to(std::string(effect.moved), some);
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
    return sentence.empty() ? "The weights stay the same; other numbers change." : sentence + ".";
  }
  std::string reason = why_idle(what_if, as_is);
  if (has_given_weights(as_is)) {
    reason = reason.substr(0, reason.find("; try "));  // other sizes would need other weights
  }
  return reason.empty() ? "No number changed." : "No number changed: " + reason + ".";
}

}  // namespace attn
