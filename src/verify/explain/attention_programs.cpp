#include "verify/explain/attention_programs.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "tensor/operations.hpp"
#include "torch/torch.hpp"

namespace attn::verify {
namespace {

/// The queries, keys and values of one section of a lesson.
struct Projections {
  std::string section;
  std::optional<Tensor> queries;
  std::optional<Tensor> keys;
  std::optional<Tensor> values;

  bool fit() const {
    return queries && keys && values && keys->dim() >= 2 && queries->shape() == keys->shape() &&
           values->dim() == keys->dim() && values->size(-2) == keys->size(-2);
  }
};

std::vector<Projections> projections_in(const std::vector<Step>& steps) {
  std::vector<Projections> found;
  for (const Step& step : steps) {
    if (step.kind != Step::Kind::tensor || (step.name != "queries" && step.name != "keys" && step.name != "values")) {
      continue;
    }
    if (found.empty() || found.back().section != step.section) {
      found.push_back({.section = step.section, .queries = {}, .keys = {}, .values = {}});
    }
    auto& which = step.name == "queries" ? found.back().queries
                  : step.name == "keys"  ? found.back().keys
                                         : found.back().values;
    which = step.tensor;
  }
  std::erase_if(found, [](const Projections& one) { return !one.fit(); });
  return found;
}

std::vector<Step> attention(std::vector<Step> steps, const Projections& made, bool is_causal) {
  const auto show = [&](const std::string& name, const Tensor& tensor) {
    tensor.set_name(name);
    steps.push_back({Step::Kind::tensor, made.section, name, name, false, tensor, ""});
    return tensor;
  };
  const Tensor& keys = *made.keys;
  Tensor scores = show("attn_scores", matmul(*made.queries, transpose(keys, keys.dim() - 2, keys.dim() - 1)));
  if (is_causal) {
    scores = show("masked_attn_scores",
                  masked_fill(scores, torch::causal_mask(keys.size(-2)), -std::numeric_limits<float>::infinity()));
  }
  const Tensor weights = show("attn_weights", softmax(scale(scores, keys)));
  show("context_vecs", matmul(weights, *made.values));
  return steps;
}

}  // namespace

std::vector<Explanation> attention_programs(const Explanation& lesson) {
  std::vector<Explanation> programs;
  for (const Projections& made : projections_in(lesson.steps.get())) {
    for (const bool is_causal : {false, true}) {
      programs.push_back(lesson);
      programs.back().steps = LazySteps(attention(lesson.steps.get(), made, is_causal));
    }
  }
  return programs;
}

}  // namespace attn::verify
