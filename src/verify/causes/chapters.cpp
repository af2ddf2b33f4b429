#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>

#include "tensor/rounded_math.hpp"
#include "torch/torch.hpp"
#include "verify/causes/rules.hpp"
#include "walk/norm.hpp"

/// Mistakes in what single chapters are about: positions, rotations, biases, windows, sinks, gradients, layers.
namespace attn {
namespace {

constexpr const char* encodings_line = "encodings[:, 0::2] = sin(angles); encodings[:, 1::2] = cos(angles)";
constexpr const char* start_line = "torch.arange(start, start + n)";
constexpr const char* sink_line = "torch.softmax(torch.cat([attn_scores, sinks], dim=-1), dim=-1)[..., :-1]";
constexpr const char* loss_line = "loss = ((context_vecs - target) ** 2).sum() / 2; grad = context_vecs - target";
constexpr const char* norm_line =
    "(x - mean) / sqrt(variance + eps) * weight + bias, or in RMSNorm x / sqrt(mean(x**2) + eps) * weight";
constexpr const char* residual_line = "hidden_states + attention(norm(hidden_states))";
constexpr const char* fused_line = "queries, keys, values = qkv.split(d, dim=-1)";

// ---- Positions --------------------------------------------------------------------------------------

Tensor scaled_before_positions(const Tensor& was, const Tensor& is) {
  const double root = std::sqrt(static_cast<double>(was.size(-1)));
  return adds_positions(was) ? add(divide(is.operands()[0], 1 / root, ""), is.operands()[1]) : is;
}

Tensor cosines_first(const Tensor& was, const Tensor& is) {
  if (!interleaves_sines(was) || !is_made_alike(was.operands()[0], is.operands()[0])) {
    return is;
  }
  const std::vector<Tensor>& parts = is.operands()[0].operands();
  return view(stack({parts[1], parts[0]}, 2), was.shape());
}

/// Each column c has a frequency of its own, 10000 ** (-2 c / d), in place of one for each two columns.
Tensor with_frequency_by_column(const Tensor& was, const Tensor& is) {
  return angles_of(was) == nullptr ? is : made_of(was, [d = width_of(was)](Numbers& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double exponent = -2 * static_cast<double>(i % d) / static_cast<double>(d);
      const double angle = static_cast<double>(i / d) * rounded::pow(torch::frequency_base, exponent);
      numbers[i] = static_cast<float>(i % d % 2 == 0 ? rounded::sin(angle) : rounded::cos(angle));
    }
  });
}

/// Other positions of the tokens from `first` on: `instead` of each position and `first`.
Rewriter::Rule with_later_positions(Steps steps, float first, float (*instead)(float position, float first)) {
  std::set<const void*> counted;
  for (const auto& [angles, count] : all_angles(steps)) {
    counted.insert(angles->operands()[0].id());
  }
  return [counted, first, instead](const Tensor& was, const Tensor& is) {
    const bool is_it = counted.contains(was.id()) && static_cast<float>(was.size(0)) > first;
    return !is_it ? is : made_of(was, [first, instead](Numbers& numbers) {
      std::ranges::transform(numbers, numbers.begin(),
                             [&](float one) { return one < first ? one : instead(one, first); });
    });
  };
}

/// Frequencies that count from index 1: each is the next one.
Rewriter::Rule frequencies_from_one(Steps steps) {
  std::set<const void*> frequencies;
  for (const auto& [angles, count] : all_angles(steps)) {
    frequencies.insert(angles->operands()[1].id());
  }
  return [frequencies](const Tensor& was, const Tensor& is) {
    return !frequencies.contains(was.id()) || was.size(0) < 2 ? is : made_of(was, [](Numbers& numbers) {
      const float next = numbers[1] / numbers[0];
      std::ranges::for_each(numbers, [next](float& one) { one *= next; });
    });
  };
}

/// Turns pairs the other way, by sines of the opposite sign.
Rewriter::Rule turned_back(Steps steps) {
  std::set<const void*> sines;
  for (const Step& step : steps) {
    if (const auto rotation = step.tensor ? rotation_of(*step.tensor) : std::nullopt) {
      sines.insert(rotation->sin.id());
    }
  }
  return [sines](const Tensor& was, const Tensor& is) { return sines.contains(was.id()) ? divide(is, -1, "") : is; };
}

Tensor unrotated(const Tensor& was, const Tensor& is) {
  const auto rotation = rotation_of(was) ? rotation_of(is) : std::nullopt;
  return rotation ? rotation->x : is;
}

/// Query head h gets head h / num_kv_heads of keys and values; h / group would be right.
Tensor repeated_by_count(const Tensor& was, const Tensor& is) {
  const Tensor& x = is.operands()[0];
  const std::int64_t count = was.operation().facts().axis == 1 ? x.size(1) : 0;
  if (count * count <= is.size(1)) {
    return is;  // the same, or a head that does not exist
  }
  std::vector<Tensor> heads;
  for (std::int64_t head = 0; head < is.size(1); ++head) {
    heads.push_back(slice(x, 1, head / count, head / count + 1));
  }
  return cat(heads, 1);
}

// ---- Biases, windows, sinks -------------------------------------------------------------------------

Tensor reversed_slopes(const Tensor& slopes) {
  return made_of(slopes, [](Numbers& numbers) { std::ranges::reverse(numbers); });
}

Tensor slopes_from_zero(const Tensor& slopes) { return slopes_by_count(slopes, 0); }

Tensor without_window(const Tensor& was, const Tensor& is) {
  return was.operation().facts().window > 0 ? torch::causal_mask(was.size(0)) : is;
}

/// The sinks changed: those of the first head for all, divided like the scores, or 0.
template <Tensor (*change)(const Tensor& sinks, const Tensor& scores)>
Tensor with_sinks(const Tensor& was, const Tensor& is) {
  return has_sink(was) && is.operands().size() == 2
             ? cat({is.operands()[0], change(is.operands()[1], was.operands()[0])})
             : is;
}

Tensor first_sink(const Tensor& sinks, const Tensor&) {
  return repeat_interleave(contiguous(slice(sinks, 1, 0, 1)), sinks.size(1), 1);
}

Tensor scaled_sink(const Tensor& sinks, const Tensor& scores) {
  const Tensor* at = &scores;
  while (at->operation().facts().root_of == 0 && !at->operands().empty()) {
    at = &at->operands()[0];
  }
  const auto root_of = static_cast<double>(std::max<std::int64_t>(at->operation().facts().root_of, 1));
  return divide(sinks, std::sqrt(root_of), "root");
}

Tensor zero_sink(const Tensor& sinks, const Tensor&) { return subtract(sinks, sinks); }

// ---- Gradients --------------------------------------------------------------------------------------

/// Subtracts the plain mean of a row, not the one weighted with the weights.
Tensor less_plain_mean(const Tensor&, const Tensor& is) {
  const Tensor& gradients = is.operands()[0];
  return multiply(subtract(gradients, mean(gradients)), is.operands()[1]);
}

/// The gradient of another loss: of the right one, times a factor of the number of errors.
Rewriter::Rule with_loss_gradient(double (*factor)(double count)) {
  return [factor](const Tensor& was, const Tensor& is) {
    const bool is_it = was.is_without_grad() && was.kind() == Kind::subtracted && weighs_values(was.operands()[0]);
    return is_it ? divide(is, 1 / factor(static_cast<double>(element_count(was.shape()))), "") : is;
  };
}

// ---- Norms and residuals ----------------------------------------------------------------------------

/// A norm in steps of its own: x centred or not, over a root of the spread, multiplied, with something added.
Tensor normed_with(const Norm& norm, bool is_centred, double epsilon, double times = 1, bool is_outside = false) {
  const Tensor row = is_centred ? subtract(norm.x, mean(norm.x)) : norm.x;
  const Tensor spread = divide(is_centred ? variance(norm.x) : mean(multiply(norm.x, norm.x)), 1 / times, "");
  const Tensor normalised =
      is_outside ? divide(row, add(sqrt(spread), epsilon)) : multiply(row, rsqrt(add(spread, epsilon)));
  const Tensor scaled = multiply(normalised, norm.weight);
  return norm.bias ? add(scaled, *norm.bias) : scaled;
}

/// The norm with 10^-digits under the root.
template <int digits>
Tensor with_epsilon(const Norm& norm) {
  return normed_with(norm, norm.is_centred, std::pow(10.0, -digits));
}

/// A rule that writes each norm otherwise.
template <Tensor (*otherwise)(const Norm& norm)>
Tensor normed_as(const Tensor& was, const Tensor& is) {
  const auto norm = norm_of(was) ? norm_of(is) : std::nullopt;
  return norm ? otherwise(*norm) : is;
}

/// The variance divided by n - 1: torch.var's default.
Tensor with_unbiased_variance(const Norm& norm) {
  const auto n = static_cast<double>(norm.x.size(-1));
  return normed_with(norm, norm.is_centred, norm.epsilon, n / (n - 1));
}

Tensor with_summed_squares(const Norm& norm) {
  return normed_with(norm, norm.is_centred, norm.epsilon, static_cast<double>(norm.x.size(-1)));
}

/// The operand of a residual sum that attention made; empty for another sum.
std::optional<std::size_t> attention_in(const Tensor& sum) {
  if (sum.kind() != Kind::added || norm_of(sum)) {
    return std::nullopt;
  }
  const auto is_of_attention = [](const Tensor& tensor) {
    std::unordered_set<const void*> seen;
    bool is_it = false;
    for_each_source(tensor, seen, [&is_it](const Tensor& one) { is_it = is_it || one.kind() == Kind::softmax; });
    return is_it;
  };
  const bool is_left = is_of_attention(sum.operands()[0]);
  return is_left == is_of_attention(sum.operands()[1]) ? std::nullopt : std::optional<std::size_t>(is_left ? 0 : 1);
}

Tensor without_residual(const Tensor& was, const Tensor& is) {
  const auto made = attention_in(was);
  return made && is.operands().size() == 2 ? is.operands()[*made] : is;
}

/// Adds what the norm made of what entered, where the norm comes before.
Rewriter::Rule residual_of_norm(Steps steps) {
  std::map<const void*, Tensor> normed;  // by what is normed
  for (const Step& step : steps) {
    if (const auto norm = step.tensor ? norm_of(*step.tensor) : std::nullopt) {
      normed.emplace(norm->x.id(), *step.tensor);
    }
  }
  return [normed](const Tensor& was, const Tensor& is) {
    const auto made = attention_in(was);
    const auto found = made ? normed.find(was.operands()[1 - *made].id()) : normed.end();
    return found == normed.end() ? is : add(is.operands()[*made], found->second);
  };
}

// ---- Fused projections ------------------------------------------------------------------------------

/// The place of a third of a fused product: 0 for queries, 1 for keys, 2 for values.
std::optional<std::int64_t> third_of(const Tensor& slice) {
  const bool is_third = slice.kind() == Kind::slice && slice.operands()[0].kind() == Kind::linear &&
                        slice.operands()[0].size(-1) == 3 * slice.size(-1);
  return is_third ? std::optional(slice.operation().facts().at / slice.size(-1)) : std::nullopt;
}

/// Takes the thirds of a fused product in another order.
template <std::int64_t queries, std::int64_t keys, std::int64_t values>
Tensor thirds_as(const Tensor& was, const Tensor& is) {
  const auto third = third_of(was);
  if (!third) {
    return is;
  }
  const std::int64_t begin = std::array{queries, keys, values}[static_cast<std::size_t>(*third)] * was.size(-1);
  return slice(is.operands()[0], -1, begin, begin + was.size(-1));
}

/// The columns of each head's queries, keys and values side by side, head after head.
Rewriter::Rule thirds_by_heads(Steps steps) {
  std::int64_t heads = 1;
  for (const Step& step : steps) {
    const bool are_weights = step.tensor && step.tensor->kind() == Kind::softmax && step.tensor->dim() == 4;
    heads = are_weights ? step.tensor->size(1) : heads;
  }
  return [heads](const Tensor& was, const Tensor& is) {
    const auto third = third_of(was);
    if (!third || was.dim() != 3) {
      return is;
    }
    const Shape& shape = was.shape();
    const Tensor columns = view(contiguous(is.operands()[0]), {shape[0], shape[1], heads, 3, shape[2] / heads});
    return view(contiguous(index(columns, *third, 3)), shape);
  };
}

constexpr MistakeRow chapter_rows[] = {
    {"cosines-first", "even columns have cosines and odd ones sines: swapped", encodings_line, always<cosines_first>},
    {"inputs-scaled-up", "the inputs are multiplied by the square root of their dimension before positions are added",
     "inputs + encodings", always<scaled_before_positions>},
    {"frequency-by-column", "each column has a frequency of its own; columns 2i and 2i + 1 share one", frequencies_line,
     always<with_frequency_by_column>},
    {"positions-from-one", "positions count from 1, not from 0", "torch.arange(n) * frequencies",
     [](Steps steps) { return with_later_positions(steps, 0, [](float at, float) { return at + 1; }); }},
    {"frequencies-from-one", "the frequencies count from index 1, not from 0: the first is not 1", frequencies_line,
     frequencies_from_one},
    {"heads-by-count", "query head h gets head h / num_kv_heads of keys and values, not h / (num_heads / num_kv_heads)",
     "keys.repeat_interleave(group_size, dim=1)", each<Kind::repeat, repeated_by_count>},
    {"pairs-for-halves", "columns 2i and 2i + 1 are rotated together, not columns i and i + d / 2",
     "x[..., :d // 2], x[..., d // 2:]", [](Steps steps) { return paired_as(steps, Pairs::adjacent); }},
    {"rotated-back", "pairs are rotated the other way, by the negative angle", "x * cos - y * sin, x * sin + y * cos",
     turned_back},
    {"not-rotated", "vectors are not rotated", "rotate(queries), rotate(keys)", always<unrotated>},
    {"slopes-from-zero", "the slopes count heads from 0, not from 1: the first is 1", slopes_line,
     [](Steps steps) { return with_slopes(steps, slopes_from_zero); }},
    {"slopes-reversed", "the slopes are in reverse order", slopes_line,
     [](Steps steps) { return with_slopes(steps, reversed_slopes); }},
    {"window-too-small", "the window shows one token too few", window_line,
     [](Steps) { return with_wider_window(-1); }},
    {"no-window", "the window is left out: the mask is only causal", window_line, always<without_window>},
    {"scaled-sink", "the sinks are divided like the scores, by the square root of head_dim", sink_line,
     always<with_sinks<scaled_sink>>},
    {"zero-sink", "the sinks are 0, as if they were not loaded, not learned ones", sink_line,
     always<with_sinks<zero_sink>>},
    {"same-sink", "all heads have the sink of the first", sink_line, always<with_sinks<first_sink>>},
    {"plain-row-mean", "the gradient of softmax subtracts the row's plain mean, not its weighted one",
     "(grad - (grad * weights).sum(dim=-1, keepdim=True)) * weights", each<Kind::softmax_gradient, less_plain_mean>},
    {"gradient-doubled", "the gradient of the loss is twice as large: of a sum of squares that is not halved",
     loss_line, [](Steps) { return with_loss_gradient([](double) { return 2.0; }); }},
    {"gradient-of-mean", "the gradient of the loss is divided by the number of errors: of a mean, not of a sum",
     loss_line, [](Steps) { return with_loss_gradient([](double count) { return 1 / count; }); }},
    {"gradient-negated", "the gradient of the loss is target - context_vecs: negated", loss_line,
     [](Steps) { return with_loss_gradient([](double) { return -1.0; }); }},
    {"no-norm", "the norm is left out", norm_line, always<normed_as<[](const Norm& norm) { return norm.x; }>>},
    {"norm-without-weight", "the norm's weight and bias are left out", norm_line,
     always<normed_as<[](const Norm& norm) { return norm.normalised; }>>},
    {"norm-without-bias", "the norm's bias is left out", norm_line,
     always<normed_as<[](const Norm& norm) { return multiply(norm.normalised, norm.weight); }>>},
    {"norm-weight-plus-one", "the norm's weight is taken as weight + 1, as Gemma has it", norm_line,
     always<normed_as<[](const Norm& norm) {
       const Tensor scaled = multiply(norm.normalised, add(norm.weight, 1));
       return norm.bias ? add(scaled, *norm.bias) : scaled;
     }>>},
    {"mean-not-subtracted", "the norm does not subtract the mean: RMSNorm for LayerNorm", norm_line,
     always<normed_as<[](const Norm& norm) { return normed_with(norm, false, norm.epsilon); }>>},
    {"mean-subtracted", "the norm subtracts the mean: LayerNorm for RMSNorm", norm_line,
     always<normed_as<[](const Norm& norm) { return normed_with(norm, true, norm.epsilon); }>>},
    {"unbiased-variance", "the variance is divided by n - 1, not by n", norm_line,
     always<normed_as<with_unbiased_variance>>},
    {"squares-summed", "the squares are added up, not averaged, under the root of the norm", norm_line,
     always<normed_as<with_summed_squares>>},
    {"no-epsilon", "nothing is added under the root of the norm", norm_line,
     always<normed_as<[](const Norm& norm) { return normed_with(norm, norm.is_centred, 0); }>>},
    {"epsilon-1e-3", "the norm's eps is 1e-3, not the model's", norm_line, always<normed_as<with_epsilon<3>>>},
    {"epsilon-1e-5", "the norm's eps is 1e-5, not the model's", norm_line, always<normed_as<with_epsilon<5>>>},
    {"epsilon-1e-6", "the norm's eps is 1e-6, not the model's", norm_line, always<normed_as<with_epsilon<6>>>},
    {"epsilon-outside", "eps is added to the root of the norm, not under it", norm_line,
     always<normed_as<[](const Norm& norm) { return normed_with(norm, norm.is_centred, norm.epsilon, 1, true); }>>},
    {"no-residual", "what entered the layer is not added", residual_line, always<without_residual>},
    {"residual-of-norm", "the normed hidden states are added, not those that entered", residual_line, residual_of_norm},
    {"fused-by-heads", "the fused projection is read head by head: queries, keys and values of each head in turn",
     fused_line, thirds_by_heads},
    {"fused-keys-first", "the fused projection is read as keys, queries, values", fused_line,
     always<thirds_as<1, 0, 2>>},
    {"fused-values-first", "the fused projection is read as values, keys, queries", fused_line,
     always<thirds_as<2, 1, 0>>},
    {"fused-values-second", "the fused projection is read as queries, values, keys", fused_line,
     always<thirds_as<0, 2, 1>>},
};

}  // namespace

std::vector<Mistake> chapter_mistakes(Steps steps) {
  std::vector<Mistake> table = made(chapter_rows, steps);
  if (all_angles(steps).empty()) {
    return table;
  }
  for (const std::int64_t base : {1'000, 10'000, 100'000, 500'000, 1'000'000}) {
    table.push_back({"frequency-base", "the base of the frequencies is " + std::to_string(base), "rope_theta, or 10000",
                     with_frequencies(steps, base, 2)});
  }
  for (std::int64_t token = 1; token < 16; ++token) {
    const auto first = static_cast<float>(token);
    const std::string tokens = "the positions of token " + std::to_string(token) + " and later ones ";
    const auto add = [&](const char* name, const std::string& sentence, float (*instead)(float, float)) {
      table.push_back({name, tokens + sentence, start_line, with_later_positions(steps, first, instead)});
    };
    add("positions-stay-0", "are all 0: the offset is left out, a token at a time", [](float, float) { return 0.0F; });
    add("positions-restart", "count from 0 again: the offset is left out",
        [](float at, float from) { return at - from; });
    add("positions-jump", "are too large by " + std::to_string(token) + ": the offset counts twice",
        [](float at, float from) { return at + from; });
  }
  return table;
}

}  // namespace attn
