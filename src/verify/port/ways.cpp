#include "verify/port/ways.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "tensor/operations.hpp"
#include "tensor/rewrite.hpp"
#include "walk/mistakes.hpp"

namespace attn::verify {
namespace {

std::int64_t root_of(const Tensor& tensor) { return tensor.operation().facts().root_of; }

bool is_scale(const Tensor& tensor) { return tensor.kind() == Kind::scaled && root_of(tensor) > 0; }

bool is_masked(const Tensor& tensor) { return tensor.kind() == Kind::masked; }

/// Returns true for scaled queries: scores are a product, perhaps masked, or a sum.
bool is_of_queries(const Tensor& scaled) {
  const Tensor& under = scaled.operands()[0];
  return (is_masked(under) ? under.operands()[0] : under).operation().is_view();
}

/// Returns true where scores are divided. A gradient is the same whatever was scaled.
bool is_of_scores(const Tensor& tensor) {
  return is_scale(tensor) && !is_of_queries(tensor) && !tensor.is_without_grad();
}

/// Returns true for what is masked, or multiplied with keys, once it is scaled.
bool is_made_of_scaled(const Tensor& tensor) {
  return (is_masked(tensor) || tensor.kind() == Kind::matmul) && is_scale(tensor.operands()[0]) &&
         is_of_queries(tensor.operands()[0]) != is_masked(tensor);
}

/// x divided by the root, as the article's scaling is.
Tensor scaled_like(const Tensor& x, const Tensor& scaling) {
  return scale(x, leaf({root_of(scaling)}, DType::float32, "keys",
                       [n = root_of(scaling)] { return Contents(Block<float>(Shape{n})); }));
}

Step ported(const std::string& section, const std::string& name, const Tensor& tensor) {
  tensor.set_name(name);
  return {Step::Kind::tensor, section, name, "", false, tensor, "", "\n", true};
}

/// Gives a tensor that a way has, and the article has not, a name: it becomes a step.
using Keep = std::function<Tensor(const std::string& name, const Tensor& tensor)>;

/// A rewriting rule that may keep tensors.
using WayRule = std::function<Tensor(const Tensor& was, const Tensor& is, const Keep& keep)>;

/// Scores are scaled, then masked.
WayRule scaled_first(std::span<const Step> steps) {
  std::map<const void*, Tensor> scaling_of;  // by the mask that comes before
  for (const Step& step : steps) {
    if (is_of_scores(*step.tensor) && is_masked(step.tensor->operands()[0])) {
      scaling_of.emplace(step.tensor->operands()[0].id(), *step.tensor);
    }
  }
  return [scaling_of](const Tensor& was, const Tensor& is, const Keep& keep) {
    if (const auto found = scaling_of.find(was.id()); found != scaling_of.end()) {
      const Tensor scaled = keep("scaled_attn_scores", scaled_like(is.operands()[0], found->second));
      return is.with_operands({scaled, is.operands()[1]});
    }
    return is_scale(was) && scaling_of.contains(was.operands()[0].id()) ? is.operands()[0] : is;
  };
}

/// Scores are scaled last, where the article scales queries, or scores before it masks them.
WayRule scaled_last(std::span<const Step> steps) {
  std::map<const void*, Tensor> scaling_of;  // by what is made of it
  std::set<const void*> scaled;
  for (const Step& step : steps) {
    if (is_made_of_scaled(*step.tensor)) {
      scaling_of.emplace(step.tensor->id(), step.tensor->operands()[0]);
      scaled.insert(step.tensor->operands()[0].id());
    }
  }
  return [scaling_of, scaled](const Tensor& was, const Tensor& is, const Keep& keep) {
    if (const auto found = scaling_of.find(was.id()); found != scaling_of.end()) {
      const Tensor unscaled = keep(is_masked(was) ? "masked_attn_scores" : "attn_scores", is);
      return keep("scaled_attn_scores", scaled_like(unscaled, found->second));
    }
    return scaled.contains(was.id()) ? is.operands()[0] : is;
  };
}

/// Queries are scaled before they meet keys; or both are, each by the root of the root.
WayRule scaled_operands(std::span<const Step> steps, bool are_both) {
  std::map<const void*, Tensor> scaling_of;  // by the product of queries and keys
  std::set<const void*> scaled;
  for (const Step& step : steps) {
    if (is_of_scores(*step.tensor)) {
      const Tensor& under = step.tensor->operands()[0];
      scaling_of.emplace((is_masked(under) ? under.operands()[0] : under).id(), *step.tensor);
      scaled.insert(step.tensor->id());
    }
  }
  return [scaling_of, scaled, are_both](const Tensor& was, const Tensor& is, const Keep& keep) {
    const auto found = scaling_of.find(was.id());
    if (found == scaling_of.end() || was.kind() != Kind::matmul) {
      return scaled.contains(was.id()) ? is.operands()[0] : is;
    }
    const double root = std::sqrt(std::sqrt(static_cast<double>(root_of(found->second))));
    const std::string heads = was.dim() == 4 ? "_heads" : "";
    const auto scaled_by = [&](const Tensor& tensor) {
      return are_both ? divide(tensor, root, "") : scaled_like(tensor, found->second);
    };
    Tensor keys = is.operands()[1];
    const Tensor queries = keep("scaled_queries" + heads, scaled_by(is.operands()[0]));
    if (are_both && keys.kind() == Kind::transpose) {
      keys = keys.with_operands({keep("scaled_keys" + heads, scaled_by(keys.operands()[0]))});
    }
    return is.with_operands({queries, keys});
  };
}

/// Biases count positions from the first token, the same for all queries: softmax does not see what a row has in
/// common.
WayRule counted_from_first(std::span<const Step> steps) {
  std::set<const void*> distances;
  for (const Step& step : steps) {
    is_alibi(*step.tensor) ? void(distances.insert(step.tensor->operands()[1].id())) : void();
  }
  return [distances](const Tensor& was, const Tensor& is, const Keep&) {
    if (!distances.contains(was.id())) {
      return is;
    }
    const Shape shape = was.operands()[1].shape();
    return add(is.operands()[0], leaf(shape, DType::float32, "0", [shape] { return Contents(Block<float>(shape)); }));
  };
}

/// The steps under a rule, in the order of computation, each once; none if the rule changes none.
std::vector<Step> rewritten(std::span<const Step> steps, const WayRule& rule) {
  std::vector<Step> result;
  std::set<const void*> seen;
  std::string section;
  bool is_any_changed = false;
  const auto add = [&](const Step& step) { seen.insert(step.tensor->id()).second ? result.push_back(step) : void(); };
  const Keep keep = [&](const std::string& name, const Tensor& tensor) {
    add(ported(section, name, tensor));
    return tensor;
  };
  Rewriter rewriter([&](const Tensor& was, const Tensor& is) { return rule(was, is, keep); });
  for (const Step& was : steps) {
    section = was.section;
    Step is = was;
    is.tensor = rewriter(*was.tensor);
    is_any_changed = is_any_changed || is.tensor->id() != was.tensor->id();
    add(is);
  }
  return is_any_changed ? result : std::vector<Step>();
}

/// Ports have besides weights averaged over heads.
void add_means(std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Tensor& weights = *steps[i].tensor;
    if (weights.kind() == Kind::softmax && weights.dim() == 4) {
      const Tensor by_heads = contiguous(transpose(weights, 1, 3));  // [b, keys, queries, heads]
      const Tensor mean = divide(sum(by_heads), static_cast<double>(weights.size(1)), "");
      const Step step = ported(steps[i].section, "attn_weights_mean", contiguous(transpose(mean, 1, 2)));
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(++i), step);
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

std::vector<Way> ways_of(std::span<const Step> steps) {
  std::vector<Step> tensors;
  std::ranges::copy_if(steps, std::back_inserter(tensors),
                       [](const Step& step) { return step.kind == Step::Kind::tensor; });
  const std::pair<const char*, WayRule> others[] = {
      {"scores are scaled, then masked", scaled_first(tensors)},
      {"scores are scaled last", scaled_last(tensors)},
      {"queries are scaled before they meet keys", scaled_operands(tensors, false)},
      {"queries and keys are both scaled, each by the root of the root", scaled_operands(tensors, true)},
      {"biases count positions from the first token", counted_from_first(tensors)}};
  std::vector<Way> ways{{"", tensors}};
  for (const auto& [words, rule] : others) {
    std::vector<Step> changed = rewritten(tensors, rule);
    changed.empty() ? void() : ways.push_back({words, std::move(changed)});
  }
  std::ranges::for_each(ways, [](Way& way) { add_means(way.steps); });
  return ways;
}

}  // namespace attn::verify
