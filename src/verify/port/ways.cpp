#include "verify/port/ways.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/rewrite.hpp"
#include "walk/mistake_rules.hpp"

namespace attn::verify {
namespace {

bool is_scale(const Tensor& tensor) { return tensor.kind() == Kind::scaled && tensor.operation().facts().root_of > 0; }

double root_of(const Tensor& tensor) { return std::sqrt(static_cast<double>(tensor.operation().facts().root_of)); }

/// Returns true for scaled queries: scores are a product, perhaps masked, or a sum.
bool is_of_queries(const Tensor& scaled) {
  const Tensor& under = scaled.operands()[0];
  return (under.kind() == Kind::masked ? under.operands()[0] : under).operation().is_view();
}

/// The scores that a division scales, and on the way there the mask, if any.
struct Scaling {
  Tensor scaled;
  std::optional<Tensor> masked;
  Tensor scores;  ///< queries @ keys.T
};

std::vector<Scaling> scalings_of(std::span<const Step> steps) {
  std::vector<Scaling> found;
  for (const Step& step : steps) {
    if (is_scale(*step.tensor) && !is_of_queries(*step.tensor) &&
        !step.tensor->is_without_grad()) {  // a gradient is the same whatever was scaled
      const Tensor& under = step.tensor->operands()[0];
      const bool is_masked = under.kind() == Kind::masked;
      found.push_back(
          {*step.tensor, is_masked ? std::optional(under) : std::nullopt, is_masked ? under.operands()[0] : under});
    }
  }
  return found;
}

/// x divided by the root, as the article's scaling is.
Tensor scaled_like(const Tensor& x, const Tensor& scaling) {
  return scale(x, leaf({scaling.operation().facts().root_of}, DType::float32, "keys",
                       [n = scaling.operation().facts().root_of] { return Contents(Block<float>(Shape{n})); }));
}

Step ported(const std::string& section, const std::string& name, const Tensor& tensor) {
  tensor.set_name(name);
  return {Step::Kind::tensor, section, name, "", false, tensor, "", "\n", true};
}

/// Steps rewritten; what `before` gives for a step stands before it. A step that became another one's tensor is gone.
std::vector<Step> rewritten(std::span<const Step> steps, const Rewriter::Rule& rule,
                            const std::function<std::optional<Step>(const Step& was, const Tensor& is)>& before) {
  Rewriter rewriter(rule);
  std::vector<Step> result;
  std::set<const void*> seen;
  const auto add = [&](Step step) {
    if (seen.insert(step.tensor->id()).second) {
      result.push_back(std::move(step));
    }
  };
  for (const Step& was : steps) {
    Step step = was;
    step.tensor = rewriter(*was.tensor);
    if (std::optional<Step> more = before(was, *step.tensor)) {
      add(*std::move(more));
    }
    add(std::move(step));
  }
  return result;
}

/// Scores are scaled, then masked.
std::vector<Step> scaled_first(std::span<const Step> steps, const std::vector<Scaling>& scalings) {
  std::map<const void*, const Scaling*> by_mask;
  for (const Scaling& scaling : scalings) {
    if (scaling.masked) {
      by_mask.emplace(scaling.masked->id(), &scaling);
    }
  }
  const auto of = [&by_mask](const Tensor& tensor) {
    const auto found = by_mask.find(tensor.id());
    return found == by_mask.end() ? nullptr : found->second;
  };
  return rewritten(
      steps,
      [&of](const Tensor& was, const Tensor& is) {
        if (const Scaling* const scaling = of(was)) {
          return masked_fill(scaled_like(is.operands()[0], scaling->scaled), is.operands()[1],
                             static_cast<float>(was.operation().facts().value));
        }
        return is_scale(was) && of(was.operands()[0]) != nullptr ? is.operands()[0] : is;
      },
      [&of](const Step& was, const Tensor& is) {
        return of(*was.tensor) != nullptr ? std::optional(ported(was.section, "scaled_attn_scores", is.operands()[0]))
                                          : std::nullopt;
      });
}

/// Queries, keys, or both are scaled before they meet: by `power` of the root on the left and the rest on the right.
std::vector<Step> scaled_operands(std::span<const Step> steps, const std::vector<Scaling>& scalings, double power) {
  std::map<const void*, const Scaling*> by_scores;
  std::set<const void*> scaled;
  for (const Scaling& scaling : scalings) {
    by_scores.emplace(scaling.scores.id(), &scaling);
    scaled.insert(scaling.scaled.id());
  }
  std::map<const void*, std::vector<Step>> operands;  // by the scores that they are before
  const auto scaled_by = [](const Tensor& tensor, const Tensor& scaling, double part) {
    return part == 0   ? tensor
           : part == 1 ? scaled_like(tensor, scaling)
                       : divide(tensor, std::pow(root_of(scaling), part), "");
  };
  std::vector<Step> result = rewritten(
      steps,
      [&](const Tensor& was, const Tensor& is) {
        const auto found = by_scores.find(was.id());
        if (found == by_scores.end() || was.kind() != Kind::matmul) {
          return scaled.contains(was.id()) ? is.operands()[0] : is;
        }
        const Tensor& scaling = found->second->scaled;
        const Tensor queries = scaled_by(is.operands()[0], scaling, power);
        const Tensor& right = is.operands()[1];
        const Tensor keys =
            right.kind() == Kind::transpose ? scaled_by(right.operands()[0], scaling, 1 - power) : right;
        const std::string heads = was.dim() == 4 ? "_heads" : "";
        for (const auto& [name, tensor, plain] :
             {std::tuple{"scaled_queries", queries, is.operands()[0]},
              std::tuple{"scaled_keys", keys, right.kind() == Kind::transpose ? right.operands()[0] : right}}) {
          if (tensor.id() != plain.id()) {
            operands[was.id()].push_back(ported("", name + heads, tensor));
          }
        }
        return matmul(queries,
                      right.kind() == Kind::transpose ? transpose(keys, keys.dim() - 2, keys.dim() - 1) : keys);
      },
      [](const Step&, const Tensor&) { return std::nullopt; });
  for (auto& [scores, more] : operands) {
    const auto place = std::ranges::find_if(result, [&, name = by_scores.at(scores)->scores.name()](const Step& step) {
      return step.tensor->kind() == Kind::matmul && step.name == name;
    });
    result.insert(place, more.begin(), more.end());
  }
  return result;
}

/// Biases count positions from the first token, the same for all queries: softmax does not see what a row has in
/// common.
std::vector<Step> counted_from_first(std::span<const Step> steps) {
  std::set<const void*> distances;
  for (const Step& step : steps) {
    if (is_alibi(*step.tensor)) {
      distances.insert(step.tensor->operands()[1].id());
    }
  }
  const auto rule = [&distances](const Tensor& was, const Tensor& is) {
    if (!distances.contains(was.id())) {
      return is;
    }
    const Tensor zeros = leaf(was.operands()[1].shape(), DType::float32, "0",
                              [shape = was.operands()[1].shape()] { return Contents(Block<float>(shape)); });
    return add(is.operands()[0], zeros);
  };
  return rewritten(steps, rule, [](const Step&, const Tensor&) { return std::nullopt; });
}

/// The sink's column is the first one, not the last.
std::vector<Step> sink_first(std::span<const Step> steps) {
  const auto rule = [](const Tensor& was, const Tensor& is) {
    if (has_sink(was)) {
      return cat({is.operands()[1], is.operands()[0]});
    }
    return drops_sink(was) ? slice(is.operands()[0], 3, 1, was.size(-1) + 1) : is;
  };
  return rewritten(steps, rule, [](const Step&, const Tensor&) { return std::nullopt; });
}

/// Steps in which two others stand in place of a scaled tensor and of what is made of it at once.
std::vector<Step> scaled_later(std::span<const Step> steps, const Rewriter::Rule& rule, const std::string& unscaled,
                               const std::function<bool(const Step& step)>& is_scaled,
                               const std::function<bool(const Step& step)>& is_made_of_it) {
  Rewriter rewriter(rule);
  std::vector<Step> result;
  for (const Step& was : steps) {
    if (is_scaled(was)) {
      continue;
    }
    const Tensor is = rewriter(*was.tensor);
    if (is_made_of_it(was)) {
      result.push_back(ported(was.section, unscaled, is.operands()[0]));
      result.push_back(ported(was.section, "scaled_attn_scores", is));
    } else {
      result.push_back(was);
      result.back().tensor = is;
    }
  }
  return result;
}

/// Returns true for scores that are scaled, then masked.
bool is_masked_later(const Tensor& tensor) {
  return tensor.kind() == Kind::masked && is_scale(tensor.operands()[0]) && !is_of_queries(tensor.operands()[0]);
}

/// Returns true for the product of scaled queries with keys.
bool is_product_of_scaled(const Tensor& tensor) {
  return tensor.kind() == Kind::matmul && is_scale(tensor.operands()[0]) && is_of_queries(tensor.operands()[0]);
}

/// Scores are masked, then scaled.
std::vector<Step> masked_first(std::span<const Step> steps) {
  std::set<const void*> scaled;
  for (const Step& step : steps) {
    is_masked_later(*step.tensor) ? void(scaled.insert(step.tensor->operands()[0].id())) : void();
  }
  return scaled_later(
      steps,
      [](const Tensor& was, const Tensor& is) {
        return is_masked_later(was) ? scaled_like(masked_fill(is.operands()[0].operands()[0], is.operands()[1],
                                                              static_cast<float>(was.operation().facts().value)),
                                                  was.operands()[0])
                                    : is;
      },
      "masked_attn_scores", [&scaled](const Step& step) { return scaled.contains(step.tensor->id()); },
      [](const Step& step) { return is_masked_later(*step.tensor); });
}

/// Scores are scaled, where the article scales the queries.
std::vector<Step> scores_scaled(std::span<const Step> steps) {
  return scaled_later(
      steps,
      [](const Tensor& was, const Tensor& is) {
        return is_product_of_scaled(was)
                   ? scaled_like(matmul(is.operands()[0].operands()[0], is.operands()[1]), was.operands()[0])
                   : is;
      },
      "attn_scores", [](const Step& step) { return is_scale(*step.tensor) && is_of_queries(*step.tensor); },
      [](const Step& step) { return is_product_of_scaled(*step.tensor); });
}

/// What ports have besides: weights averaged over heads; and what scores are divided by, or multiplied with.
void add_what_ports_have(std::vector<Step>& steps, const std::vector<Scaling>& scalings) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Tensor& weights = *steps[i].tensor;
    if (weights.kind() == Kind::softmax && weights.dim() == 4) {
      const Tensor by_heads = contiguous(transpose(weights, 1, 3));  // [b, keys, queries, heads]
      const Tensor mean = divide(sum(by_heads), static_cast<double>(weights.size(1)), "");
      const Step step = ported(steps[i].section, "attn_weights_mean", contiguous(transpose(mean, 1, 2)));
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(++i), step);
    }
  }
  if (!scalings.empty()) {
    const double root = root_of(scalings[0].scaled);
    for (const auto& [name, value] : {std::pair{"sqrt_head_dim", root}, {"one_over_sqrt_head_dim", 1 / root}}) {
      steps.push_back(ported("", name, leaf({}, DType::float32, name, [value = static_cast<float>(value)] {
                               Block<float> block(Shape{});
                               block[0] = value;
                               return Contents(std::move(block));
                             })));
    }
  }
}

}  // namespace

std::int64_t heads_of(std::span<const Step> steps) {
  const auto found = std::ranges::find_if(steps, [](const Step& step) {
    return step.tensor && step.tensor->dim() == 4 && step.tensor->kind() == Kind::softmax;
  });
  return found == steps.end() ? 1 : found->tensor->size(1);
}

std::int64_t entries_of(std::span<const Step> steps) {
  const auto found = std::ranges::find_if(
      steps, [](const Step& step) { return step.tensor && step.tensor->dim() == 3 && step.name == "batch"; });
  return found == steps.end() ? 1 : found->tensor->size(0);
}

std::vector<Way> ways_of(std::span<const Step> steps) {
  std::vector<Step> tensors;
  std::ranges::copy_if(steps, std::back_inserter(tensors),
                       [](const Step& step) { return step.kind == Step::Kind::tensor; });
  const std::vector<Scaling> scalings = scalings_of(tensors);
  std::vector<Way> ways{{"", tensors}};
  const auto add = [&ways](const std::string& words, std::vector<Step> changed) {
    ways.push_back({words, std::move(changed)});
  };
  if (std::ranges::any_of(scalings, [](const Scaling& scaling) { return scaling.masked.has_value(); })) {
    add("scores are scaled, then masked", scaled_first(tensors, scalings));
  }
  if (std::ranges::any_of(tensors, [](const Step& step) { return is_masked_later(*step.tensor); })) {
    add("scores are masked, then scaled", masked_first(tensors));
  }
  if (std::ranges::any_of(tensors, [](const Step& step) { return is_product_of_scaled(*step.tensor); })) {
    add("scores are scaled, not queries", scores_scaled(tensors));
  }
  if (!scalings.empty()) {
    add("queries are scaled before they meet keys", scaled_operands(tensors, scalings, 1));
    add("queries are scaled before they meet keys", scaled_operands(tensors, scalings, 1));
    ways.back().is_named_scaled = true;
    add("keys are scaled before they meet queries", scaled_operands(tensors, scalings, 0));
    add("queries and keys are both scaled, each by the root of the root", scaled_operands(tensors, scalings, 0.5));
    add("queries and keys are both scaled, each by the root of the root", scaled_operands(tensors, scalings, 0.5));
    ways.back().is_named_scaled = true;
  }
  if (std::ranges::any_of(tensors, [](const Step& step) { return is_alibi(*step.tensor); })) {
    add("biases count positions from the first token", counted_from_first(tensors));
  }
  if (std::ranges::any_of(tensors, [](const Step& step) { return has_sink(*step.tensor); })) {
    add("the sink is the first column", sink_first(tensors));
  }
  for (Way& way : ways) {
    add_what_ports_have(way.steps, scalings);
  }
  return ways;
}

}  // namespace attn::verify
