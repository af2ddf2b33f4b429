#include "walk/mistake_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "tensor/what_if.hpp"

namespace attn {

bool hides(const Tensor& tensor) {
  return tensor.kind() == Kind::masked && std::isinf(tensor.operation().facts().value);
}

bool is_product(const Tensor& tensor) { return tensor.kind() == Kind::matmul || tensor.kind() == Kind::linear; }

bool projects_inputs(const Tensor& was) {
  return (was.kind() == Kind::linear && was.operands()[0].kind() != Kind::view) ||
         (was.kind() == Kind::matmul && was.operands()[1].kind() == Kind::parameter);
}

bool weighs_values(const Tensor& tensor) {
  const auto is_weights = [](Kind kind) {
    return kind == Kind::softmax || kind == Kind::dropout || kind == Kind::divided;
  };
  return tensor.kind() == Kind::matmul && (is_weights(tensor.operands()[0].kind()) || drops_sink(tensor.operands()[0]));
}

bool has_sink(const Tensor& scores) {
  const bool is_cat = scores.kind() == Kind::cat && scores.operands().size() == 2 && scores.dim() == 4;
  return is_cat && scores.operands()[1].size(-1) == 1 && scores.operands()[0].size(-1) + 1 == scores.size(-1);
}

bool drops_sink(const Tensor& tensor) {
  const bool is_of_softmax = tensor.kind() == Kind::slice && tensor.operands()[0].kind() == Kind::softmax;
  return is_of_softmax && has_sink(tensor.operands()[0].operands()[0]);
}

const Tensor* softmax_of_weights(const Tensor& tensor) {
  if (drops_sink(tensor)) {
    return &tensor.operands()[0];
  }
  return tensor.kind() == Kind::softmax && !has_sink(tensor.operands()[0]) ? &tensor : nullptr;
}

bool is_alibi(const Tensor& tensor) { return tensor.kind() == Kind::multiplied && are_distances(tensor.operands()[1]); }

bool are_distances(const Tensor& tensor) {
  return tensor.kind() == Kind::subtracted && tensor.operands()[0].kind() == Kind::transpose;
}

bool are_angles(const Tensor& tensor) {
  const auto is_given = [](const Tensor& factor) { return factor.operands().empty(); };
  return tensor.kind() == Kind::multiplied && tensor.operands()[1].dim() == 1 &&
         std::ranges::all_of(tensor.operands(), is_given);
}

bool interleaves_sines(const Tensor& tensor) {
  return tensor.kind() == Kind::view && tensor.operands()[0].kind() == Kind::stack &&
         tensor.operands()[0].operands()[0].kind() == Kind::sine;
}

const Tensor* angles_of(const Tensor& encodings) {
  const Tensor& pairs = encodings.kind() == Kind::slice ? encodings.operands()[0] : encodings;
  return interleaves_sines(pairs) ? &pairs.operands()[0].operands()[0].operands()[0] : nullptr;
}

bool adds_positions(const Tensor& tensor) {
  return tensor.kind() == Kind::added &&
         (angles_of(tensor.operands()[1]) != nullptr || tensor.operands()[1].kind() == Kind::looked_up);
}

Numbers numbers_of(const Tensor& tensor) {
  return std::visit([](const auto& block) { return Numbers(block.begin(), block.end()); }, *tensor.array().contents());
}

Rewriter::Rule softmax_along(std::int64_t axis) {
  return for_each(Kind::softmax, [axis](const Tensor& was, const Tensor& is) {
    return axis < was.dim() - 1 ? softmax_over(is.operands()[0], axis) : is;
  });
}

Rewriter::Rule made_with(Steps steps, std::array<std::size_t, 3> source) {
  struct Projection {
    std::optional<Tensor> weight;
    std::optional<Tensor> bias;
  };
  constexpr std::array<const char*, 3> projections = {"W_query", "W_key", "W_value"};
  std::map<std::string, std::array<Projection, 3>> by_section;
  std::map<const void*, std::pair<std::string, std::size_t>> whose;
  for (const Step& step : steps) {
    for (std::size_t i = 0; i < projections.size() && step.tensor; ++i) {
      if (step.name == projections[i]) {
        by_section[step.section][i].weight = step.tensor;
        whose[step.tensor->id()] = {step.section, i};
      } else if (step.name == std::string(projections[i]) + "_bias") {
        by_section[step.section][i].bias = step.tensor;
      }
    }
  }
  return [by_section, whose, source](const Tensor& was, const Tensor& is) {
    const auto found = is_product(was) ? whose.find(was.operands()[1].id()) : whose.end();
    if (found == whose.end() || source[found->second.second] == found->second.second) {
      return is;
    }
    const Projection& other = by_section.at(found->second.first)[source[found->second.second]];
    if (!other.weight || other.weight->shape() != was.operands()[1].shape()) {
      return is;
    }
    return was.kind() == Kind::matmul ? matmul(is.operands()[0], *other.weight)
                                      : linear(is.operands()[0], *other.weight, other.bias, other.weight->name());
  };
}

}  // namespace attn
