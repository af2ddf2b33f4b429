#include "walk/what_if.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "tensor/operations.hpp"
#include "walk/mistakes.hpp"

namespace attn {

/// A tensor of floats as it is and as the change made it.
struct Change {
  std::string name;
  Shape shape;
  std::shared_ptr<const Contents> as_is;
  std::shared_ptr<const Contents> changed;
  std::span<const float> before = floats(*as_is);
  std::span<const float> after = floats(*changed);

  static std::span<const float> floats(const Contents& contents) {
    const auto& values = std::get<Block<float>>(contents);
    return {values.data(), values.size()};
  }
};

namespace {

/// The tensors of floats that both walkthroughs show, by section and name, whose numbers the change moved.
std::vector<Change> changes(std::span<const Step> as_is, std::span<const Step> changed) {
  const auto is_floats = [](const Step& step) {
    return step.kind == Step::Kind::tensor && step.tensor->dtype() == DType::float32;
  };
  std::map<std::tuple<std::string, std::string>, const Tensor*> others;
  for (const Step& step : changed) {
    if (is_floats(step)) {
      others[{step.section, step.name}] = &*step.tensor;
    }
  }
  std::vector<Change> found;
  for (const Step& step : as_is) {
    const auto other = is_floats(step) ? others.find({step.section, step.name}) : others.end();
    if (other == others.end() || other->second->shape() != step.tensor->shape()) {
      continue;
    }
    Change change = {.name = step.name,
                     .shape = step.tensor->shape(),
                     .as_is = step.tensor->array().contents(),
                     .changed = other->second->array().contents()};
    const auto is_equal = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (!std::equal(change.before.begin(), change.before.end(), change.after.begin(), is_equal)) {
      found.push_back(std::move(change));
    }
  }
  return found;
}

std::vector<Change> named(std::span<const Change> all, std::initializer_list<std::string_view> names) {
  std::vector<Change> wanted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(wanted), [&names](const Change& change) {
    return std::find(names.begin(), names.end(), change.name) != names.end();
  });
  return wanted;
}

// --- Numbers of rows -------------------------------------------------------------------------------------------

/// Something measured on every row, before and after; rows with nan or inf are left out.
struct Measured {
  std::vector<double> before;
  std::vector<double> after;
};

using Row = std::span<const float>;
/// A measure of a row, given its place in its matrix.
using Measure = double (*)(Row row, std::size_t place);

Measured measured(std::span<const Change> some, Measure measure) {
  Measured result;
  for (const Change& change : some) {
    const auto width = static_cast<std::size_t>(change.shape.empty() ? 1 : change.shape.back());
    const auto height = static_cast<std::size_t>(change.shape.size() < 2 ? 1 : change.shape[change.shape.size() - 2]);
    for (std::size_t row = 0; row < change.before.size() / width; ++row) {
      const double before = measure(Row(change.before).subspan(row * width, width), row % height);
      const double after = measure(Row(change.after).subspan(row * width, width), row % height);
      if (std::isfinite(before) && std::isfinite(after)) {
        result.before.push_back(before);
        result.after.push_back(after);
      }
    }
  }
  return result;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

double largest(Row row, std::size_t) { return static_cast<double>(*std::max_element(row.begin(), row.end())); }

double row_sum(Row row, std::size_t) {
  double sum = 0;
  for (const float value : row) {
    sum += static_cast<double>(value);
  }
  return sum;
}

/// What of a row is right of the diagonal.
double later(Row row, std::size_t place) { return place < row.size() ? row_sum(row.subspan(place + 1), 0) : 0; }

// --- Words -----------------------------------------------------------------------------------------------------

std::string decimals(double value, int digits) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  std::string result = text.data();
  while (digits > 0 && result.back() == '0') {
    result.pop_back();
  }
  if (result.back() == '.') {
    result.pop_back();
  }
  return result == "-0" ? "0" : result;
}

/// "grows from 0.44 to 0.52", with as many digits as it takes; float32 has no more than seven.
std::string from_to(double before, double after) {
  for (int digits = 2; digits <= 7; ++digits) {
    const std::string a = decimals(before, digits);
    const std::string b = decimals(after, digits);
    if (a != b) {
      return (after > before ? "grows from " : "falls from ") + a + " to " + b;
    }
  }
  return "stays " + decimals(after, 2);
}

std::string mean_from_to(const Measured& rows) {
  return from_to(mean(rows.before), mean(rows.after)) + (rows.before.size() > 1 ? " on average" : "");
}

std::string no_scaling_did(std::span<const Change> all) {
  const Measured rows = measured(named(all, {"attn_weights", "attn_weights_2"}), largest);
  return rows.before.empty() ? "Without scaling the scores go into softmax as they are, and its weights stay the same."
                             : "Without scaling the largest weight of a row " + mean_from_to(rows) + ".";
}

std::string no_mask_did(std::span<const Change> all) {
  const Measured rows = measured(named(all, {"attn_weights", "masked_simple_norm"}), later);
  return rows.before.empty() ? "Without a mask the weights stay the same."
                             : "Without a mask tokens see later ones: a row's weight right of the diagonal " +
                                   mean_from_to(rows) + ".";
}

std::string mask_after_softmax_did(std::span<const Change> all) {
  const Measured rows = measured(named(all, {"attn_weights"}), row_sum);
  return rows.before.empty() ? "Masked after softmax, the weights stay the same."
                             : "Masked after softmax, a row keeps only what softmax gave to the tokens it may see: " +
                                   std::string("its sum ") + mean_from_to(rows) + ".";
}

std::string no_rescale_did(std::span<const Change> all) {
  std::string sums;
  for (const char* const name : {"output", "dropout_attn_weights"}) {  // the rows of one are ones, of the other weights
    if (const Measured rows = measured(named(all, {name}), row_sum); !rows.before.empty()) {
      sums += (sums.empty() ? "" : ", of ") + std::string(name) + " " + mean_from_to(rows);
    }
  }
  return sums.empty() ? "Without the factor 1 / (1 - p) what dropout gives stays the same."
                      : "Without the factor 1 / (1 - p) what dropout keeps stays as it was: the sum of a row of " + sums + ".";
}

/// "between 0.75 and 1.3", "3"
std::string range_words(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string from = decimals(*least, 2);
  const std::string to = decimals(*most, 2);
  return from == to ? to : "between " + from + " and " + to;
}

std::string softmax_dim_0_did(std::span<const Change> all) {
  const std::vector<Change> weights = named(all, {"attn_weights"});
  if (weights.empty()) {
    return "With softmax over dim 0 the weights stay the same.";
  }
  const bool has_batch = weights[0].shape.size() > 2;
  std::string text = has_batch ? "Over dim 0, the batch, weights at the same place of each sequence add up to 1"
                               : "Over dim 0 it is the columns that add up to 1";
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
  if (!sums.empty()) {
    text += sums.size() == count ? ", and a row to " + range_words(sums)
            : sums.size() == 1   ? "; one of " + std::to_string(count) + " rows adds up to " + range_words(sums)
                                 : "; " + std::to_string(sums.size()) + " of " + std::to_string(count) + " rows add up to " +
                                       range_words(sums);
  }
  if (sums.size() < count) {
    text += "; where all weights of a place are masked, nothing is left to add up: " +
            (sums.empty() ? "each row has weights that are nan"
                          : "the other " + std::to_string(count - sums.size()) + " rows have weights that are nan");
  }
  return text + ".";
}

/// The largest difference between scores [..., n, n] and their transposed; none where they are not square.
std::optional<double> asymmetry(const Shape& shape, std::span<const float> scores) {
  if (shape.size() < 2 || shape[shape.size() - 1] != shape[shape.size() - 2]) {
    return std::nullopt;
  }
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
  bool is_square = true;
  const std::vector<Change> scores = named(all, {"attn_scores", "attn_scores_2"});
  for (const Change& change : scores) {
    const auto [old, now] = std::pair(asymmetry(change.shape, change.before), asymmetry(change.shape, change.after));
    is_square = is_square && (change.shape.size() == 1 || old.has_value());
    before = std::max(before, old.value_or(0));
    after = std::max(after, now.value_or(0));
    for (std::size_t i = 0; i < change.before.size(); ++i) {
      moved = std::max(moved, std::abs(static_cast<double>(change.before[i]) - static_cast<double>(change.after[i])));
    }
  }
  if (scores.empty()) {
    return "With W_query for the keys too the scores stay the same.";
  }
  if (!is_square) {
    return "With W_query for the keys too a score moves by up to " + decimals(moved, 4) + ".";
  }
  return "With W_query for the keys too any two tokens score each other alike: the largest difference between two such "
         "scores " + from_to(before, after) + ".";
}

/// Whether all tensors of the steps that `is_such` holds of have that fact, and there is one.
template <class IsSuch, class Has>
bool all_such(std::span<const Step> steps, IsSuch is_such, Has has) {
  bool any = false;
  for (const Step& step : steps) {
    if (step.tensor && is_such(*step.tensor)) {
      any = true;
      if (!has(*step.tensor)) {
        return false;
      }
    }
  }
  return any;
}

std::string no_scaling_is_idle(std::span<const Step> steps) {
  const auto is_scaled = [](const Tensor& tensor) { return tensor.operation().facts().root_of > 0; };
  const auto by_one = [](const Tensor& tensor) { return tensor.operation().facts().root_of == 1; };
  return all_such(steps, is_scaled, by_one)
             ? "the keys' dimension is 1, and so is its square root; try trainable --d-out 256 --init randn --tokens 8 "
               "--what-if no-scaling"
             : "";
}

std::string no_rescale_is_idle(std::span<const Step> steps) {
  const auto is_dropout = [](const Tensor& tensor) { return tensor.kind() == Kind::dropout; };
  const auto is_off = [](const Tensor& tensor) { return tensor.operation().facts().p == 0; };
  const auto is_all = [](const Tensor& tensor) { return tensor.operation().facts().p == 1; };
  return all_such(steps, is_dropout, is_off)   ? "with p = 0 nothing is dropped, and the factor is 1; try --dropout 0.5"
         : all_such(steps, is_dropout, is_all) ? "with p = 1 all is dropped; try --dropout 0.5"
                                               : "";
}

std::string one_token_is_idle(std::span<const Step> steps) {
  const auto is_mask = [](const Tensor& tensor) { return tensor.operation().facts().is_by_tokens; };
  const auto is_one = [](const Tensor& tensor) { return tensor.size(-1) == 1; };
  return all_such(steps, is_mask, is_one) ? "one token has no later one; try --tokens 6" : "";
}

std::string never_idle(std::span<const Step>) { return ""; }

}  // namespace

std::span<const WhatIf> all_what_ifs() {
  static constexpr std::array<WhatIf, 6> table = {{
      {"no-scaling", no_scaling_did, no_scaling_is_idle},
      {"no-mask", no_mask_did, one_token_is_idle},
      {"mask-after-softmax", mask_after_softmax_did, one_token_is_idle},
      {"no-rescale", no_rescale_did, no_rescale_is_idle},
      {"softmax-dim-0", softmax_dim_0_did, never_idle},
      {"same-weights", same_weights_did, never_idle},
  }};
  return table;
}

Walkthrough changed(const Walkthrough& as_is, const WhatIf& what_if) {
  return as_is.rewritten(rule_of(what_if.name, as_is.steps()));
}

bool applies(const WhatIf& what_if, const Walkthrough& as_is) {
  Rewriter rewriter(rule_of(what_if.name, as_is.steps()));
  return std::any_of(as_is.steps().begin(), as_is.steps().end(), [&](const Step& step) {
    return step.tensor && rewriter(*step.tensor).id() != step.tensor->id();
  });
}

std::string what_the_change_did(const WhatIf& what_if, std::span<const Step> as_is, std::span<const Step> changed) {
  const std::vector<Change> all = changes(as_is, changed);
  if (!all.empty()) {
    return what_if.did(all);
  }
  const std::string reason = what_if.is_idle(as_is);
  return reason.empty() ? "No number changed." : "No number changed: " + reason + ".";
}

}  // namespace attn
