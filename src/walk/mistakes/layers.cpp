#include <array>
#include <map>
#include <optional>
#include <span>
#include <unordered_set>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"
#include "walk/mistakes/subjects.hpp"
#include "walk/norm.hpp"

namespace attn {
namespace {

constexpr const char* norm_line =
    "(x - mean) / sqrt(variance + eps) * weight + bias, or in RMSNorm x / sqrt(mean(x**2) + eps) * weight";
constexpr const char* residual_line = "hidden_states + attention(norm(hidden_states))";
constexpr const char* fused_line = "queries, keys, values = qkv.split(d, dim=-1)";

// ---- Norms ----------------------------------------------------------------------------------------

/// A rule that writes each norm otherwise.
template <class Otherwise>
Rewriter::Rule normed_as(Otherwise otherwise) {
  return [otherwise](const Tensor& was, const Tensor& is) {
    const auto norm = norm_of(was) ? norm_of(is) : std::nullopt;
    return norm ? otherwise(*norm) : is;
  };
}

Tensor squares_mean(const Tensor& x) { return mean(multiply(x, x)); }

Tensor with_weight_and_bias(const Norm& norm, const Tensor& normalised) {
  const Tensor scaled = multiply(normalised, norm.weight);
  return norm.bias ? add(scaled, *norm.bias) : scaled;
}

/// The norm with x centred or not, and with another number under the root.
Tensor normed_with(const Norm& norm, bool is_centred, double epsilon) {
  const Tensor spread = is_centred ? variance(norm.x) : squares_mean(norm.x);
  const Tensor row = is_centred ? subtract(norm.x, mean(norm.x)) : norm.x;
  return with_weight_and_bias(norm, multiply(row, rsqrt(add(spread, epsilon))));
}

Rewriter::Rule with_epsilon(double epsilon) {
  return normed_as([epsilon](const Norm& norm) { return normed_with(norm, norm.is_centred, epsilon); });
}

Tensor with_epsilon_outside(const Norm& norm) {
  const Tensor spread = norm.is_centred ? variance(norm.x) : squares_mean(norm.x);
  const Tensor row = norm.is_centred ? subtract(norm.x, mean(norm.x)) : norm.x;
  return with_weight_and_bias(norm, divide(row, add(sqrt(spread), norm.epsilon)));
}

/// The variance divided by n - 1: torch.var's default.
Tensor with_unbiased_variance(const Norm& norm) {
  const auto n = static_cast<double>(norm.x.size(-1));
  const Tensor row = subtract(norm.x, mean(norm.x));
  const Tensor spread = divide(variance(norm.x), (n - 1) / n, "");
  return with_weight_and_bias(norm, multiply(row, rsqrt(add(spread, norm.epsilon))));
}

Tensor with_weight_plus_one(const Norm& norm) {
  const Tensor scaled = multiply(norm.normalised, add(norm.weight, 1));
  return norm.bias ? add(scaled, *norm.bias) : scaled;
}

constexpr MistakeRow norm_rows[] = {
    {"no-norm", "the norm is left out", norm_line,
     [](Steps) { return normed_as([](const Norm& norm) { return norm.x; }); }},
    {"norm-without-weight", "the norm's weight and bias are left out", norm_line,
     [](Steps) { return normed_as([](const Norm& norm) { return norm.normalised; }); }},
    {"norm-without-bias", "the norm's bias is left out", norm_line,
     [](Steps) { return normed_as([](const Norm& norm) { return multiply(norm.normalised, norm.weight); }); }},
    {"norm-weight-plus-one", "the norm's weight is taken as weight + 1, as Gemma has it", norm_line,
     [](Steps) { return normed_as(with_weight_plus_one); }},
    {"mean-not-subtracted", "the norm does not subtract the mean: RMSNorm for LayerNorm", norm_line,
     [](Steps) { return normed_as([](const Norm& norm) { return normed_with(norm, false, norm.epsilon); }); }},
    {"mean-subtracted", "the norm subtracts the mean: LayerNorm for RMSNorm", norm_line,
     [](Steps) { return normed_as([](const Norm& norm) { return normed_with(norm, true, norm.epsilon); }); }},
    {"unbiased-variance", "the variance is divided by n - 1, not by n", norm_line,
     [](Steps) {
       return normed_as([](const Norm& norm) {
         return norm.is_centred ? with_unbiased_variance(norm) : with_weight_and_bias(norm, norm.normalised);
       });
     }},
    {"no-epsilon", "nothing is added under the root of the norm", norm_line, [](Steps) { return with_epsilon(0); }},
    {"epsilon-outside", "eps is added to the root of the norm, not under it", norm_line,
     [](Steps) { return normed_as(with_epsilon_outside); }},
};

std::vector<Mistake> norm_mistakes() {
  std::vector<Mistake> table = made(norm_rows, {});
  for (const auto& [name, epsilon] :
       {std::pair{"1e-3", 1e-3}, {"1e-5", 1e-5}, {"1e-6", 1e-6}, {"1e-8", 1e-8}, {"1e-12", 1e-12}}) {
    table.push_back({std::string("epsilon-") + name, std::string("the norm's eps is ") + name + ", not the model's",
                     norm_line, with_epsilon(epsilon)});
  }
  return table;
}

// ---- Residuals --------------------------------------------------------------------------------------

/// Returns true if attention weights are among what the tensor is made of.
bool is_of_attention(const Tensor& tensor) {
  std::unordered_set<const void*> seen;
  bool is_made_of_weights = false;
  for_each_source(tensor, seen,
                  [&](const Tensor& one) { is_made_of_weights = is_made_of_weights || one.kind() == Kind::softmax; });
  return is_made_of_weights;
}

/// The operand of a residual sum that attention made; empty for another sum.
std::optional<std::size_t> attention_in(const Tensor& sum) {
  if (sum.kind() != Kind::added || norm_of(sum)) {
    return std::nullopt;
  }
  const bool is_left = is_of_attention(sum.operands()[0]);
  const bool is_right = is_of_attention(sum.operands()[1]);
  return is_left == is_right ? std::nullopt : std::optional<std::size_t>(is_left ? 0 : 1);
}

Tensor without_residual(const Tensor& was, const Tensor& is) {
  const auto made = attention_in(was);
  return made ? is.operands()[*made] : is;
}

/// Adds what the norm made of what entered, where the norm comes before.
Rewriter::Rule residual_of_norm(std::span<const Step> steps) {
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
  if (slice.kind() != Kind::slice || slice.operands()[0].kind() != Kind::linear ||
      slice.operands()[0].size(-1) != 3 * slice.size(-1)) {
    return std::nullopt;
  }
  return slice.operation().facts().at / slice.size(-1);
}

/// Takes the thirds of a fused product in another order.
Rewriter::Rule thirds_as(std::array<std::int64_t, 3> order) {
  return [order](const Tensor& was, const Tensor& is) {
    const auto third = third_of(was);
    if (!third) {
      return is;
    }
    const std::int64_t width = was.size(-1);
    const std::int64_t begin = order[static_cast<std::size_t>(*third)] * width;
    return slice(is.operands()[0], -1, begin, begin + width);
  };
}

/// The columns of each head's queries, keys and values side by side, head after head.
Rewriter::Rule thirds_by_heads(std::span<const Step> steps) {
  std::int64_t heads = 1;
  for (const Step& step : steps) {
    heads =
        step.tensor && step.tensor->kind() == Kind::softmax && step.tensor->dim() == 4 ? step.tensor->size(1) : heads;
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

constexpr MistakeRow layer_rows[] = {
    {"no-residual", "what entered the layer is not added", residual_line, always<without_residual>},
    {"residual-of-norm", "the normed hidden states are added, not those that entered", residual_line, residual_of_norm},
    {"fused-by-heads", "the fused projection is read head by head: queries, keys and values of each head in turn",
     fused_line, thirds_by_heads},
    {"fused-keys-first", "the fused projection is read as keys, queries, values", fused_line,
     [](Steps) {
       return thirds_as({1, 0, 2});
     }},
    {"fused-values-first", "the fused projection is read as values, keys, queries", fused_line,
     [](Steps) {
       return thirds_as({2, 1, 0});
     }},
    {"fused-values-second", "the fused projection is read as queries, values, keys", fused_line,
     [](Steps) {
       return thirds_as({0, 2, 1});
     }},
};

}  // namespace

std::vector<Mistake> layer_mistakes(std::span<const Step> steps) {
  std::vector<Mistake> table = norm_mistakes();
  const std::vector<Mistake> others = made(layer_rows, steps);
  table.insert(table.end(), others.begin(), others.end());
  return table;
}

}  // namespace attn
