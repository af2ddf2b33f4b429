#include "walk/mistakes/subjects.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {
namespace {

/// Changes the bias; `change` gets each of its numbers and the first one.
template <class Change>
Rewriter::Rule biased(Change change) {
  return for_each(Kind::linear, [change](const Tensor& was, const Tensor& is) {
    if (was.operands().size() < 3) {
      return is;
    }
    const Tensor bias = made_of(is.operands()[2], [change](Numbers& numbers) {
      std::ranges::transform(numbers, numbers.begin(),
                             [change, first = numbers[0]](float one) { return change(one, first); });
    });
    return linear(is.operands()[0], is.operands()[1], bias, "");
  });
}

/// Normalises each row: if `is_centred`, subtracts its mean and divides by its standard deviation; otherwise divides by
/// its root mean square.
Tensor normed(const Tensor& x, bool is_centred) {
  return made_by_rows(x, [is_centred](std::span<float> row) {
    const auto size = static_cast<double>(row.size());
    const double mean = is_centred ? std::accumulate(row.begin(), row.end(), 0.0) / size : 0;
    double squares = 0;
    std::ranges::for_each(row, [&](float one) { squares += (one - mean) * (one - mean); });
    const double root = std::sqrt(squares / size + 1e-5);
    std::ranges::for_each(row, [&](float& one) { one = static_cast<float>((one - mean) / root); });
  });
}

Rewriter::Rule inputs_normed(bool is_centred) {
  return for_each(Kind::linear, [is_centred](const Tensor&, const Tensor& is) {
    return with_first_operand(is, normed(is.operands()[0], is_centred));
  });
}

Rewriter::Rule outputs_normed(bool is_centred) {
  return for_each(Kind::linear, [is_centred](const Tensor&, const Tensor& is) { return normed(is, is_centred); });
}

/// Adds the layer's input to its last projection.
Rewriter::Rule with_residual(std::span<const Step> steps) {
  std::vector<Tensor> inputs;
  for (const Step& step : steps) {
    if (step.tensor && (step.name == "batch" || step.name == "inputs")) {
      inputs.push_back(*step.tensor);
    }
  }
  return for_each(Kind::linear, [inputs](const Tensor& was, const Tensor& is) {
    const auto same = std::ranges::find_if(inputs, [&](const Tensor& x) { return x.shape() == was.shape(); });
    const bool is_last = was.operands()[0].kind() == Kind::view;
    return same == inputs.end() || !is_last ? is : add(is, *same);
  });
}

/// Applies the last projection to contexts [b, heads, tokens, head_dim] in memory order.
Tensor projected_unjoined(const Tensor& was, const Tensor& is) {
  const Tensor& joined = was.operands()[0];
  return joins_heads(joined)
             ? with_first_operand(is, view(contiguous(transpose(joined.operands()[0], 1, 2)), joined.shape()))
             : is;
}

/// Changes queries and keys, split into heads where they are.
template <class Change>
Rewriter::Rule of_queries_and_keys(std::span<const Step> steps, Change change) {
  std::map<std::pair<std::string, std::string>, const void*> ids;  // keyed by section and name
  for (const Step& step : steps) {
    const bool is_split = step.name.ends_with("_heads");
    const std::string name =
        is_split ? step.name.substr(0, step.name.size() - std::string("_heads").size()) : step.name;
    const std::pair key{step.section, name};
    if (step.tensor && (name == "queries" || name == "keys") && (is_split || !ids.contains(key))) {
      ids[key] = step.tensor->id();
    }
  }
  return [ids, change](const Tensor& was, const Tensor& is) {
    const bool is_it = std::ranges::any_of(ids, [&](const auto& entry) { return entry.second == was.id(); });
    return is_it && was.dim() >= 2 && width_of(was) > 1 ? change(is) : is;
  };
}

/// Rotates vectors by position, as RoPE does, and pairs the halves of a vector or neighbouring numbers.
Tensor rotated(const Tensor& x, bool is_by_halves) {
  return made_of(x, [width = width_of(x), tokens = rows_of(x), is_by_halves](Numbers& numbers) {
    const std::size_t half = width / 2;
    for (std::size_t row = 0; row * width < numbers.size(); ++row) {
      for (std::size_t i = 0; i < half; ++i) {
        const double angle =
            static_cast<double>(row % tokens) * std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half));
        float& a = numbers[row * width + (is_by_halves ? i : 2 * i)];
        float& b = numbers[row * width + (is_by_halves ? i + half : 2 * i + 1)];
        const double x_a = a;
        const double x_b = b;
        a = static_cast<float>(x_a * std::cos(angle) - x_b * std::sin(angle));
        b = static_cast<float>(x_a * std::sin(angle) + x_b * std::cos(angle));
      }
    }
  });
}

/// The linear layers that are split into heads: their heads, by id.
std::map<const void*, std::int64_t> layers_of_heads(std::span<const Step> steps) {
  std::map<const void*, std::int64_t> heads;
  for (const Step& step : steps) {
    if (step.tensor && splits_heads(*step.tensor) && step.tensor->size(1) > 1) {
      heads[step.tensor->operands()[0].operands()[0].id()] = step.tensor->size(1);
    }
  }
  return heads;
}

/// Multiplies the part of the bias that is of the first head, or of the last.
Rewriter::Rule bias_times(std::span<const Step> steps, bool is_first, float factor) {
  return for_each(Kind::linear,
                  [heads = layers_of_heads(steps), is_first, factor](const Tensor& was, const Tensor& is) {
                    const auto found = heads.find(was.id());
                    if (found == heads.end() || was.operands().size() < 3) {
                      return is;
                    }
                    std::vector<Tensor> operands = is.operands();
                    operands[2] = made_of(operands[2], [count = found->second, is_first, factor](Numbers& numbers) {
                      const std::size_t size = numbers.size() / static_cast<std::size_t>(count);
                      const auto part = std::span(numbers).subspan(is_first ? 0 : numbers.size() - size, size);
                      std::ranges::for_each(part, [factor](float& one) { one *= factor; });
                    });
                    return is.with_operands(std::move(operands));
                  });
}

/// Changes the weight or the bias of a linear layer, whichever `operand` it is, that is split into heads; `source` gets
/// a row, the number of heads and of rows of each.
template <class Source>
Rewriter::Rule rows_of_heads(std::span<const Step> steps, std::size_t operand, Source source) {
  return [heads = layers_of_heads(steps), operand, source](const Tensor& was, const Tensor& is) {
    const auto found = heads.find(was.id());
    if (found == heads.end() || was.kind() != Kind::linear || was.operands().size() < 3) {
      return is;
    }
    std::vector<Tensor> operands = is.operands();
    operands[operand] =
        with_slices(operands[operand], 0, [count = found->second, source](std::int64_t row, std::int64_t rows) {
          return source(row, count, rows / count);
        });
    return is.with_operands(std::move(operands));
  };
}

/// Sinusoidal positions: sines and cosines alternate if `are_alternating`; otherwise all sines come first.
Tensor with_positions(const Tensor& x, bool are_alternating) {
  return made_of(x, [width = width_of(x), tokens = rows_of(x), are_alternating](Numbers& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t column = i % width;
      const std::size_t half = (width + 1) / 2;
      const std::size_t pair = are_alternating ? column / 2 : column % half;
      const bool is_sine = are_alternating ? column % 2 == 0 : column < half;
      const double angle = static_cast<double>(i / width % tokens) *
                           std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(width));
      numbers[i] += static_cast<float>(is_sine ? std::sin(angle) : std::cos(angle));
    }
  });
}

/// Adds the contexts to their projection.
Tensor with_contexts(const Tensor& was, const Tensor& is) {
  const bool is_last = was.operands()[0].kind() == Kind::view && was.shape() == was.operands()[0].shape();
  return is_last ? add(is, is.operands()[0]) : is;
}

/// (x + b) @ W.T
Tensor biased_before(const Tensor& was, const Tensor& is) {
  const bool fits = was.operands().size() > 2 && was.operands()[0].size(-1) == was.size(-1);
  return fits ? linear(add(is.operands()[0], is.operands()[2]), is.operands()[1], std::nullopt, "") : is;
}

Tensor projected_twice(const Tensor& was, const Tensor& is) {
  return was.shape() == was.operands()[0].shape() ? with_first_operand(is, is) : is;
}

/// x [b, tokens, d] read as [tokens, b, d].
Tensor tokens_read_first(const Tensor& was, const Tensor& is) {
  const bool is_projection =
      was.kind() == Kind::linear || (was.kind() == Kind::matmul && was.operands()[1].kind() == Kind::parameter);
  if (!is_projection || is.operands()[0].dim() != 3 || is.operands()[0].size(0) < 2) {
    return is;
  }
  const Tensor& x = is.operands()[0];
  return with_first_operand(is, contiguous(transpose(view(contiguous(x), {x.size(1), x.size(0), x.size(2)}), 0, 1)));
}

Rewriter::Rule with_normed_residual(Steps steps) {
  return [rule = with_residual(steps)](const Tensor& was, const Tensor& is) {
    const Tensor added = rule(was, is);
    return added.id() == is.id() ? is : normed(added, true);
  };
}

Tensor weight_negated(const Tensor&, const Tensor& is) {
  return linear(divide(is.operands()[0], -1, ""), is.operands()[1],
                is.operands().size() > 2 ? std::optional(is.operands()[2]) : std::nullopt, "");
}

constexpr MistakeRow projection_rows[] = {
    {"bias-twice", "the bias is added twice", bias_line,
     [](Steps) { return biased([](float one, float) { return 2 * one; }); }},
    {"bias-subtracted", "the bias is subtracted", bias_line,
     [](Steps) { return biased([](float one, float) { return -one; }); }},
    {"tokens-read-first", "x is read as [tokens, batch, d_in] by view or reshape", batch_line,
     always<tokens_read_first>},
    {"bias-first", "only the first number of the bias is added, everywhere", bias_line,
     [](Steps) { return biased([](float, float first) { return first; }); }},
    {"inputs-normed", "x is normalised before its projection, as by a LayerNorm", bias_line,
     [](Steps) { return inputs_normed(true); }},
    {"inputs-rms-normed", "x is normalised before its projection, as by an RMSNorm", bias_line,
     [](Steps) { return inputs_normed(false); }},
    {"output-normed", "the result of the projection is normalised, as by a LayerNorm", bias_line,
     [](Steps) { return outputs_normed(true); }},
    {"output-rms-normed", "the result of the projection is normalised, as by an RMSNorm", bias_line,
     [](Steps) { return outputs_normed(false); }},
    {"residual-added", "the layer's input is added to its output: a residual connection", "out_proj(context_vec)",
     with_residual},
    {"residual-and-norm", "the layer's input is added to its output, and the sum is normalised, as by a LayerNorm",
     "out_proj(context_vec)", with_normed_residual, true},
    {"weight-negated", "the weight has the wrong sign", bias_line, each<Kind::linear, weight_negated>, true},
    {"rotated-halves", "queries and keys are rotated by position: RoPE, on halves", scores_line,
     [](Steps steps) { return of_queries_and_keys(steps, [](const Tensor& x) { return rotated(x, true); }); }},
    {"rotated-pairs", "queries and keys are rotated by position: RoPE, on neighbours", scores_line,
     [](Steps steps) { return of_queries_and_keys(steps, [](const Tensor& x) { return rotated(x, false); }); }},
    {"queries-and-keys-normed", "queries and keys are normalised, as by a LayerNorm, before their product", scores_line,
     [](Steps steps) { return of_queries_and_keys(steps, [](const Tensor& x) { return normed(x, true); }); }},
    {"queries-and-keys-rms-normed", "queries and keys are normalised, as by an RMSNorm, before their product",
     scores_line,
     [](Steps steps) { return of_queries_and_keys(steps, [](const Tensor& x) { return normed(x, false); }); }},
    {"contexts-added", "the contexts are added to the output: a residual connection", "out_proj(context_vec)",
     each<Kind::linear, with_contexts>},
    {"bias-before-product", "the bias is added before the product, not after it", bias_line,
     each<Kind::linear, biased_before>},
    {"bias-twice-in-first-head", "the bias is added twice in the first head", bias_line,
     [](Steps steps) { return bias_times(steps, true, 2); }},
    {"bias-twice-in-last-head", "the bias is added twice in the last head", bias_line,
     [](Steps steps) { return bias_times(steps, false, 2); }},
    {"no-bias-in-first-head", "the bias is left out in the first head", bias_line,
     [](Steps steps) { return bias_times(steps, true, 0); }},
    {"no-bias-in-last-head", "the bias is left out in the last head", bias_line,
     [](Steps steps) { return bias_times(steps, false, 0); }},
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
    {"projected-unjoined", "the projection reads contexts whose heads are joined by view only, without transpose",
     join_line, each<Kind::linear, projected_unjoined>},
};

}  // namespace

std::vector<Mistake> projection_mistakes(std::span<const Step> steps) {
  std::vector<Mistake> table = made(projection_rows, steps);
  table.push_back(
      {"inputs-scaled", "the inputs are multiplied by the square root of their dimension", "x",
       with_inputs([](const Tensor& x) { return divide(x, 1 / std::sqrt(static_cast<double>(x.size(-1))), ""); })});
  table.push_back({"inputs-doubled", "the inputs are doubled, as if added to themselves", "x",
                   with_inputs([](const Tensor& x) { return add(x, x); }), true});
  table.push_back(
      {"inputs-centred", "the mean of each input vector is taken off", "x", with_inputs([](const Tensor& x) {
         return made_by_rows(x, [](std::span<float> row) {
           const float mean = std::accumulate(row.begin(), row.end(), 0.0F) / static_cast<float>(row.size());
           std::ranges::for_each(row, [mean](float& one) { one -= mean; });
         });
       }),
       true});
  table.push_back({"inputs-reversed", "the numbers of each input vector are in reverse order", "x",
                   with_inputs([](const Tensor& x) {
                     return made_by_rows(x, [](std::span<float> row) { std::ranges::reverse(row); });
                   }),
                   true});
  table.push_back({"positions-added-to-projections", "sinusoidal positions are added to the results of projections",
                   bias_line,
                   [](const Tensor& was, const Tensor& is) {
                     return projects_inputs(was) && was.dim() >= 2 ? with_positions(is, true) : is;
                   },
                   true});
  for (const bool are_alternating : {true, false}) {
    table.push_back({"positions-added", "sinusoidal positions are added to the inputs", "x",
                     with_inputs([are_alternating](const Tensor& x) {
                       return x.dim() < 2 ? x : with_positions(x, are_alternating);
                     })});
  }
  table.push_back({"projected-twice", "the linear layer is applied twice", "out_proj(context_vec)",
                   for_each(Kind::linear, projected_twice)});
  constexpr std::array<const char*, 3> results = {"queries", "keys", "values"};
  struct Sources {
    std::array<std::size_t, 3> of;
    std::string sentence;
  };
  // Rows with the fewest changes come first, because a report names the first row that fits.
  std::vector<Sources> sources;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      std::array<std::size_t, 3> of{0, 1, 2};
      of[i] = j;
      i == j ? void()
             : sources.push_back({of, std::string(results[i]) + " are computed with " + projections[j] + ", not with " +
                                          projections[i]});
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    std::array<std::size_t, 3> swapped{0, 1, 2};
    std::swap(swapped[i], swapped[(i + 1) % 3]);
    sources.push_back({swapped, std::string(projections[i]) + " and " + projections[(i + 1) % 3] + " are swapped"});
  }
  sources.push_back(
      {{1, 2, 0},
       "queries are computed with W_key, keys with W_value, values with W_query: the fused weight has another order"});
  sources.push_back(
      {{2, 0, 1},
       "queries are computed with W_value, keys with W_query, values with W_key: the fused weight has another order"});
  for (std::size_t i = 0; i < 3; ++i) {
    sources.push_back({{i, i, i}, std::string("queries, keys and values are all computed with ") + projections[i]});
  }
  for (const Sources& source : sources) {
    table.push_back({"made-with", source.sentence, "x @ W_query, x @ W_key, x @ W_value", made_with(steps, source.of)});
  }
  return table;
}

}  // namespace attn
