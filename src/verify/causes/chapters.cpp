#include <map>
#include <set>
#include <unordered_set>

#include "tensor/math.hpp"
#include "torch/torch.hpp"
#include "verify/causes/mistakes.hpp"
#include "walk/walkthrough.hpp"

/// Mistakes in what single chapters are about: positions, rotations, biases, windows, sinks, gradients, layers.
namespace attn {
namespace {

constexpr const char* start_line = "torch.arange(start, start + n)";
constexpr const char* sink_line = "torch.softmax(torch.cat([attn_scores, sinks], dim=-1), dim=-1)[..., :-1]";
constexpr const char* norm_line =
    "(x - mean) / sqrt(variance + eps) * weight + bias, or in RMSNorm x / sqrt(mean(x**2) + eps) * weight";
constexpr const char* residual_line = "hidden_states + attention(norm(hidden_states))";
constexpr const char* fused_line = "queries, keys, values = qkv.split(d, dim=-1)";

// ---- Positions --------------------------------------------------------------------------------------

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

// ---- Biases, windows, sinks -------------------------------------------------------------------------

Tensor slopes_from_zero(const Tensor& slopes) { return slopes_by_count(slopes, 0); }

Tensor without_window(const Tensor& was, const Tensor& is) {
  return was.operation().facts().window > 0 ? torch::causal_mask(was.size(0)) : is;
}

Tensor with_zero_sinks(const Tensor& was, const Tensor& is) {
  return has_sink(was) && is.operands().size() == 2
             ? cat({is.operands()[0], subtract(is.operands()[1], is.operands()[1])})
             : is;
}

// ---- Norms and residuals ----------------------------------------------------------------------------

/// A norm in steps of its own: x centred or not, over a root of the spread, multiplied, with something added.
Tensor normed_with(const Norm& norm, bool is_centred, double epsilon) {
  const Tensor row = is_centred ? subtract(norm.x, mean(norm.x)) : norm.x;
  const Tensor spread = is_centred ? variance(norm.x) : mean(multiply(norm.x, norm.x));
  const Tensor scaled = multiply(multiply(row, rsqrt(add(spread, epsilon))), norm.weight);
  return norm.bias ? add(scaled, *norm.bias) : scaled;
}

/// A rule that writes each norm otherwise.
template <Tensor (*otherwise)(const Norm& norm)>
Tensor normed_as(const Tensor& was, const Tensor& is) {
  const auto norm = norm_of(was) ? norm_of(is) : std::nullopt;
  return norm ? otherwise(*norm) : is;
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
    {"frequency-by-column", "each column has a frequency of its own; columns 2i and 2i + 1 share one", frequencies_line,
     always<with_frequency_by_column>},
    {"positions-from-one", "positions count from 1, not from 0", "torch.arange(n) * frequencies",
     [](Steps steps) { return with_later_positions(steps, 0, [](float at, float) { return at + 1; }); }},
    {"pairs-for-halves", "columns 2i and 2i + 1 are rotated together, not columns i and i + d / 2",
     "x[..., :d // 2], x[..., d // 2:]", [](Steps steps) { return paired_as(steps, Pairs::adjacent); }},
    {"slopes-from-zero", "the slopes count heads from 0, not from 1: the first is 1", slopes_line,
     [](Steps steps) { return with_slopes(steps, slopes_from_zero); }},
    {"no-window", "the window is left out: the mask is only causal", window_line, always<without_window>},
    {"zero-sink", "the sinks are 0, as if they were not loaded, not learned ones", sink_line, always<with_zero_sinks>},
    {"no-norm", "the norm is left out", norm_line, always<normed_as<[](const Norm& norm) { return norm.x; }>>},
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
    {"no-epsilon", "nothing is added under the root of the norm", norm_line,
     always<normed_as<[](const Norm& norm) { return normed_with(norm, norm.is_centred, 0); }>>},
    {"epsilon-1e-3", "the norm's eps is 1e-3, not the model's", norm_line,
     always<normed_as<[](const Norm& norm) { return normed_with(norm, norm.is_centred, 1e-3); }>>},
    {"no-residual", "what entered the layer is not added", residual_line, always<without_residual>},
    {"residual-of-norm", "the normed hidden states are added, not those that entered", residual_line, residual_of_norm},
    {"fused-by-heads", "the fused projection is read head by head: queries, keys and values of each head in turn",
     fused_line, thirds_by_heads},
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
