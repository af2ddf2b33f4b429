#include "verify/judge/sequences.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "tensor/operations.hpp"

namespace attn::verify {
namespace {

/// Replacements of other shapes, by the id of the replaced tensor.
using Others = std::map<const void*, Tensor>;

/// Applies an operation of attention to operands of other shapes.
std::optional<Tensor> remade(const Tensor& tensor, const std::vector<Tensor>& operands) {
  const Facts facts = tensor.operation().facts();
  switch (tensor.kind()) {
    case Kind::linear:
      return linear(operands[0], operands[1], operands.size() > 2 ? std::optional(operands[2]) : std::nullopt, "");
    case Kind::matmul: return matmul(operands[0], operands[1]);
    case Kind::transpose:
      return transpose(operands[0], static_cast<std::int64_t>(facts.axes[0]), static_cast<std::int64_t>(facts.axes[1]));
    case Kind::scaled:
      return facts.root_of > 0 ? std::optional(divide(operands[0], std::sqrt(static_cast<double>(facts.root_of)), ""))
                               : std::nullopt;
    case Kind::softmax: return softmax(operands[0]);
    default: return std::nullopt;
  }
}

/// Computes the tensor from replaced operands; none if sizes do not fit.
std::optional<Tensor> made_of(const Others& others, const Tensor& tensor) {
  std::vector<Tensor> operands;
  for (const Tensor& operand : tensor.operands()) {
    const auto other = others.find(operand.id());
    const std::optional<Tensor> made = other == others.end() ? made_of(others, operand) : std::optional(other->second);
    if (!made) {
      return std::nullopt;
    }
    operands.push_back(*made);
  }
  if (std::ranges::equal(operands, tensor.operands(), {}, &Tensor::id, &Tensor::id)) {
    return tensor;
  }
  try {
    return remade(tensor, operands);
  } catch (const ShapeError&) {
    return std::nullopt;
  }
}

class Sequences {
 public:
  Sequences(std::span<const Step> steps, Right& right) : steps_(steps), right_(right) {}

  void explain(Judged& judged) {
    if (judged.verdict == PortVerdict::shape && (follows_somewhere(judged) || is_of_another(judged))) {
      return;
    }
    if (judged.verdict == PortVerdict::wrong && !others_.empty() && follows_somewhere(judged)) {
      judged.causes.clear();
    }
  }

 private:
  bool follows(const Judged& judged, const Step& step) {
    const auto made = made_of(others_, *step.tensor);
    const bool is_it = made && made->id() != step.tensor->id() && right_.holding(*judged.matched.theirs, *made);
    is_it ? void(others_.emplace(step.tensor->id(), *made)) : void();
    return is_it;
  }

  bool follows_somewhere(Judged& judged) {
    const auto step = std::ranges::find_if(steps_, [&](const Step& one) { return follows(judged, one); });
    if (step != steps_.end()) {
      const bool is_own = element_count(step->tensor->shape()) == element_count(judged.matched.theirs->shape);
      judged.matched.step = &*step;
      judged.matched.laid = is_own ? right_.nearest(*judged.matched.theirs, *step->tensor) : std::nullopt;
      judged.right = right_.shown_values(*step->tensor);
      judged.comparison = judged.matched.laid ? right_.compare(*judged.matched.laid, *step->tensor) : Comparison{};
      judged.verdict = PortVerdict::inherited;
    }
    return step != steps_.end();
  }

  /// Tries another step's tensor, with other rows, as an operand of the step.
  bool is_of_another(Judged& judged) {
    const Step& step = *judged.matched.step;
    for (const Step& operand : steps_) {
      for (const Step& other : steps_) {
        const Tensor& a = *operand.tensor;
        const Tensor& b = *other.tensor;
        const bool fits = a.dim() == 2 && b.dim() == 2 && a.size(-1) == b.size(-1) && a.size(0) != b.size(0);
        const auto made = fits ? made_of({{a.id(), b}}, *step.tensor) : std::nullopt;
        if (made && made->shape() != step.tensor->shape() && right_.holding(*judged.matched.theirs, *made)) {
          others_.emplace(step.tensor->id(), *made);
          judged.causes = {{{"other-sequence"},
                            full_name(other) + " stands where " + full_name(operand) + " belongs: another sequence",
                            ""}};
          return true;
        }
      }
    }
    return false;
  }

  std::span<const Step> steps_;
  Right& right_;
  Others others_;
};

}  // namespace

void explain_sequences(std::vector<Judged>& tensors, std::span<const Step> steps, Right& right) {
  Sequences sequences(steps, right);
  std::ranges::for_each(tensors, [&](Judged& judged) { sequences.explain(judged); });
}

}  // namespace attn::verify
