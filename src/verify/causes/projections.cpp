#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>

#include "torch/torch.hpp"
#include "verify/causes/mistakes.hpp"
#include "walk/walkthrough.hpp"

namespace attn {
namespace {

// ---- Biases and weights -----------------------------------------------------------------------------

/// Changes an operand of linear layers: 1 for the weight, 2 for the bias.
template <class Change>
Rewriter::Rule with_parameter(std::size_t operand, Change change) {
  return for_each(Kind::linear, [operand, change](const Tensor& was, const Tensor& is) {
    if (was.operands().size() < 3) {
      return is;
    }
    std::vector<Tensor> operands = is.operands();
    operands[operand] = change(operands[operand]);
    return is.with_operands(std::move(operands));
  });
}

Rewriter::Rule with_bias_times(float factor) {
  return with_parameter(2, [factor](const Tensor& bias) { return divide(bias, 1 / static_cast<double>(factor), ""); });
}

Tensor first_number(const Tensor& bias) {
  return made_of(bias, [](Numbers& numbers) { std::ranges::fill(numbers, Numbers(numbers)[0]); });
}

/// Takes the rows of a parameter that is split into heads from others: `source` gets a row, the heads, and their size.
Rewriter::Rule rows_of_heads(Steps steps, std::size_t operand,
                             std::int64_t (*source)(std::int64_t row, std::int64_t heads, std::int64_t size)) {
  std::map<const void*, std::int64_t> layers;  // their heads, by id
  for (const Step& step : steps) {
    if (step.tensor && splits_heads(*step.tensor) && step.tensor->size(1) > 1) {
      layers[step.tensor->operands()[0].operands()[0].id()] = step.tensor->size(1);
    }
  }
  return [layers, operand, source](const Tensor& was, const Tensor& is) {
    const auto found = layers.find(was.id());
    if (found == layers.end()) {
      return is;
    }
    return with_parameter(operand, [count = found->second, source](const Tensor& parameter) {
      return with_slices(parameter, 0, [count, source](std::int64_t row, std::int64_t rows) {
        return source(row, count, rows / count);
      });
    })(was, is);
  };
}

// ---- Inputs and results -----------------------------------------------------------------------------

/// Subtracts each row's mean and divides by its standard deviation.
Tensor normed(const Tensor& x) {
  return made_by_rows(x, [](std::span<float> row) {
    const auto size = static_cast<double>(row.size());
    const double mean = std::accumulate(row.begin(), row.end(), 0.0) / size;
    double squares = 0;
    std::ranges::for_each(row, [&](float one) { squares += (one - mean) * (one - mean); });
    const double root = std::sqrt(squares / size + 1e-5);
    std::ranges::for_each(row, [&](float& one) { one = static_cast<float>((one - mean) / root); });
  });
}

Tensor of_normed_inputs(const Tensor&, const Tensor& is) { return with_first_operand(is, normed(is.operands()[0])); }

Tensor normed_output(const Tensor&, const Tensor& is) { return normed(is); }

Tensor root_of_size_times(const Tensor& x) { return divide(x, 1 / std::sqrt(static_cast<double>(x.size(-1))), ""); }

Tensor doubled(const Tensor& x) { return add(x, x); }

Tensor centred(const Tensor& x) { return subtract(x, mean(x)); }

/// x [b, tokens, d] read as [tokens, b, d].
Tensor tokens_read_first(const Tensor& x) {
  return x.dim() != 3 || x.size(0) < 2
             ? x
             : contiguous(transpose(view(contiguous(x), {x.size(1), x.size(0), x.size(2)}), 0, 1));
}

/// Adds the layer's input to its last projection; `is_normed` normalises the sum.
template <bool is_normed>
Rewriter::Rule with_residual(Steps steps) {
  std::vector<Tensor> inputs;
  for (const Step& step : steps) {
    if (step.tensor && (step.name == "batch" || step.name == "inputs")) {
      inputs.push_back(*step.tensor);
    }
  }
  return for_each(Kind::linear, [inputs](const Tensor& was, const Tensor& is) {
    const auto same = std::ranges::find(inputs, was.shape(), &Tensor::shape);
    if (same == inputs.end() || was.operands()[0].kind() != Kind::view) {
      return is;
    }
    return is_normed ? normed(add(is, *same)) : add(is, *same);
  });
}

Tensor with_contexts(const Tensor& was, const Tensor& is) {
  const bool is_last = was.operands()[0].kind() == Kind::view && was.shape() == was.operands()[0].shape();
  return is_last ? add(is, is.operands()[0]) : is;
}

/// Changes queries and keys, split into heads where they are.
template <Tensor (*change)(const Tensor&)>
Rewriter::Rule of_queries_and_keys(Steps steps) {
  std::set<const void*> ids;
  for (const Step& step : steps) {
    if (step.tensor && meets_keys(*step.tensor)) {
      ids.insert({step.tensor->operands()[0].id(), step.tensor->operands()[1].operands()[0].id()});
    }
  }
  return [ids](const Tensor& was, const Tensor& is) {
    return ids.contains(was.id()) && was.dim() >= 2 && was.size(-1) > 1 ? change(is) : is;
  };
}

/// Rotates vectors [..., tokens, d] by position, as RoPE does.
Tensor turned(const Tensor& x) {
  if (x.size(-1) % 2 != 0) {
    return x;
  }
  const Tensor angles = multiply(torch::positions(0, x.size(-2), x), torch::frequencies(10000, x.size(-1), 2));
  return rotated(x, cos(angles), sin(angles), Pairs::halves);
}

/// Divides each row by its length.
Tensor of_length_1(const Tensor& x) {
  return made_by_rows(x, [](std::span<float> row) {
    const double length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    std::ranges::for_each(row, [length](float& one) { one = static_cast<float>(one / length); });
  });
}

constexpr MistakeRow projection_rows[] = {
    {"bias-twice", "the bias is added twice", bias_line, [](Steps) { return with_bias_times(2); }},
    {"bias-subtracted", "the bias is subtracted", bias_line, [](Steps) { return with_bias_times(-1); }},
    {"bias-first", "only the first number of the bias is added, everywhere", bias_line,
     [](Steps) { return with_parameter(2, first_number); }},
    {"bias-of-head-0", "every head gets the part of the bias that is of head 0", bias_line,
     [](Steps steps) {
       return rows_of_heads(steps, 2, [](std::int64_t row, std::int64_t, std::int64_t size) { return row % size; });
     }},
    {"weight-rows-mixed-up",
     "row i of the weight is of head i % num_heads, but the bias is not: the heads' weights are stacked row by row",
     bias_line,
     [](Steps steps) {
       return rows_of_heads(steps, 1, [](std::int64_t row, std::int64_t heads, std::int64_t size) {
         return row % heads * size + row / heads;
       });
     }},
    {"weight-rows-mixed-up",
     "each head takes every num_heads-th row of the weight, but of the bias its own part: the weight is reshaped as "
     "[head_dim, num_heads, d_in]",
     bias_line,
     [](Steps steps) {
       return rows_of_heads(steps, 1, [](std::int64_t row, std::int64_t heads, std::int64_t size) {
         return row % size * heads + row / size;
       });
     }},
    {"tokens-read-first", "x is read as [tokens, batch, d_in] by view or reshape", batch_line,
     [](Steps) { return with_inputs(tokens_read_first); }},
    {"inputs-scaled", "the inputs are multiplied by the square root of their dimension", "x",
     [](Steps) { return with_inputs(root_of_size_times); }},
    {"inputs-doubled", "the inputs are doubled, as if added to themselves", "x",
     [](Steps) { return with_inputs(doubled); }},
    {"inputs-centred", "the mean of each input vector is taken off", "x", [](Steps) { return with_inputs(centred); }},
    {"inputs-normed", "x is normalised before its projection, as by a LayerNorm", bias_line,
     each<Kind::linear, of_normed_inputs>},
    {"output-normed", "the result of the projection is normalised, as by a LayerNorm", bias_line,
     each<Kind::linear, normed_output>},
    {"residual-added", "the layer's input is added to its output: a residual connection", "out_proj(context_vec)",
     with_residual<false>},
    {"residual-and-norm", "the layer's input is added to its output, and the sum is normalised, as by a LayerNorm",
     "out_proj(context_vec)", with_residual<true>},
    {"contexts-added", "the contexts are added to the output: a residual connection", "out_proj(context_vec)",
     each<Kind::linear, with_contexts>},
    {"queries-and-keys-normed", "queries and keys are normalised, as by a LayerNorm, before their product", scores_line,
     of_queries_and_keys<normed>},
    {"rotated-halves", "queries and keys are rotated by position: RoPE, on halves", scores_line,
     of_queries_and_keys<turned>},
    {"cosine", "queries and keys are divided by their lengths: the scores are cosines", scores_line,
     of_queries_and_keys<of_length_1>},
};

}  // namespace

std::vector<Mistake> projection_mistakes(Steps steps) {
  std::vector<Mistake> table = made(projection_rows, steps);
  using Sources = std::array<std::size_t, 3>;  // of queries, keys and values
  // Those with the fewest changes come first, because a report names the first that fits.
  constexpr Sources sources[] = {{1, 1, 2}, {2, 1, 2}, {0, 0, 2}, {0, 2, 2}, {0, 1, 0}, {0, 1, 1}, {1, 0, 2},
                                 {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}, {0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
  constexpr std::array<const char*, 3> results = {"queries", "keys", "values"};
  constexpr std::array<const char*, 3> weights = {"W_query", "W_key", "W_value"};
  for (const Sources& source : sources) {
    std::string sentence;
    for (std::size_t i = 0; i < results.size(); ++i) {
      sentence += source[i] == i ? ""
                                 : (sentence.empty() ? "" : ", ") + std::string(results[i]) + " are computed with " +
                                       weights[source[i]] + ", not with " + weights[i];
    }
    table.push_back({"made-with", sentence, "x @ W_query, x @ W_key, x @ W_value", made_with(steps, source)});
  }
  return table;
}

}  // namespace attn
