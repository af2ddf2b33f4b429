#include "lesson/frame.hpp"

#include <algorithm>
#include <cmath>

#include "lesson/explain.hpp"
#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "text/numbers.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {
namespace {

/// Returns true if the tensor is made of attention weights, or is them.
bool is_weighed(const Tensor& tensor) { return is_made_with(tensor, {Kind::softmax}); }

bool is_result(const Step& step) {
  if (step.kind != Step::Kind::tensor || step.tensor->dtype() != DType::float32 || step.tensor->dim() == 0 ||
      step.tensor->is_without_grad()) {
    return false;
  }
  switch (step.tensor->kind()) {
    case Kind::sum:
    case Kind::index:
    case Kind::subtracted:  // how far a result is from what it should be
    case Kind::multiplied: return false;
    default: return true;
  }
}

/// Returns true for a projection or a given tensor: the formula goes no further down.
bool is_source(const Tensor& tensor) {
  const auto& operands = tensor.operands();
  return operands.empty() || tensor.operation().is_parameter() || tensor.kind() == Kind::linear ||
         (tensor.kind() == Kind::matmul && operands[1].operands().empty()) ||
         std::any_of(operands.begin(), operands.end(),
                     [](const Tensor& one) { return one.operation().is_parameter(); });
}

class FormulaMaker {
 public:
  explicit FormulaMaker(const Step& result) { formula.text = result.name + " = " + made(*result.tensor, true); }

  Formula formula;

 private:
  std::string of(const Tensor& tensor) {
    const bool is_named = !tensor.name().empty() && !swaps_last(tensor);
    return is_named && !is_weighed(tensor) && !is_score(tensor) ? tensor.name() : made(tensor, false);
  }

  /// Returns true for what lies between projections and weights: a product of two tensors that are not parameters,
  /// scaled or masked.
  static bool is_score(const Tensor& tensor) {
    switch (tensor.kind()) {
      case Kind::scaled:
      case Kind::masked: return true;
      case Kind::matmul:
      case Kind::matvec:
      case Kind::matvecs:
      case Kind::dots:
      case Kind::pairwise_dots: return !is_source(tensor);
      default: return false;
    }
  }

  std::string made(const Tensor& tensor, bool is_outermost) {
    const auto& operands = tensor.operands();
    const auto word = [&](const char* name) { return std::string(name) + "(" + of(operands[0]) + ")"; };
    switch (tensor.kind()) {
      case Kind::softmax: return word("softmax");
      case Kind::masked: return masked(tensor);
      case Kind::scaled: return scaled(tensor);
      case Kind::dropout: return dropped(tensor);
      case Kind::matmul:
      case Kind::matvec:
      case Kind::weighted_sum: return of(operands[0]) + " @ " + of(operands[1]);
      case Kind::matvecs:
      case Kind::dots: return of(operands[1]) + " @ " + of(operands[0]) + ".T";
      case Kind::pairwise_dots: return of(operands[0]) + " @ " + of(operands[1]) + ".T";
      case Kind::linear: return is_outermost || is_weighed(operands[0]) ? linear(tensor) : tensor.name();
      case Kind::cat: return joined(tensor);
      case Kind::transpose: return of(operands[0]) + (swaps_last(tensor) ? ".T" : "");
      case Kind::view: return split_or_joined(tensor);
      case Kind::index:
      case Kind::slice: return named_or_words(tensor);
      case Kind::contiguous: return of(operands[0]);
      case Kind::added: return is_weighed(tensor) ? of(operands[0]) + " + " + of(operands[1]) : named_or_words(tensor);
      case Kind::scaled_and_shifted: return is_weighed(tensor) ? normed(tensor) : named_or_words(tensor);
      default: return named_or_words(tensor);
    }
  }

  static std::string named_or_words(const Tensor& tensor) {
    return tensor.name().empty() ? grouped(tensor.expression()) : tensor.name();
  }

  std::string normed(const Tensor& tensor) {
    const auto norm = norm_of(tensor);
    if (!norm) {
      return named_or_words(tensor);
    }
    add_term("LayerNorm: each row less its mean, divided by its standard deviation, times a weight, plus a bias");
    return "LayerNorm(" + of(norm->x) + ")";
  }

  std::string masked(const Tensor& tensor) {
    const Facts facts = tensor.operation().facts();
    const Facts mask = tensor.operands()[1].operation().facts();
    if (mask.is_by_tokens) {
      add_term("masked: " + number(facts.value) + " replaces the scores of later tokens" +
               (mask.window > 0 ? ", and of those outside the window" : ""));
    } else {
      add_term("masked: " + number(facts.value) + " where the mask is True");
    }
    return "masked(" + of(tensor.operands()[0]) + ")";
  }

  std::string scaled(const Tensor& tensor) {
    const Facts facts = tensor.operation().facts();
    if (facts.root_of == 0) {
      return of(tensor.operands()[0]) + " / " + number(facts.value);
    }
    add_term("d_k: the dimension of the keys, here " + std::to_string(facts.root_of));
    return of(tensor.operands()[0]) + " / sqrt(d_k)";
  }

  std::string dropped(const Tensor& tensor) {
    const Facts facts = tensor.operation().facts();
    if (facts.p == 0) {
      return of(tensor.operands()[0]);
    }
    add_term("dropout: each weight becomes 0 with probability " + text::factor_text(facts.p) +
             (facts.p < 1 ? ", otherwise it is multiplied by " + text::factor_text(facts.value) : ""));
    return "dropout(" + of(tensor.operands()[0]) + ")";
  }

  std::string linear(const Tensor& tensor) {
    const std::string words = tensor.expression();
    return words.substr(0, words.find('(')) + "(" + of(tensor.operands()[0]) + ")";
  }

  std::string joined(const Tensor& tensor) {
    const auto count = tensor.operands().size();
    add_term("cat: the results of " + std::to_string(count) + " head" +
             (count == 1 ? "" : "s, each with its own weights,") + " side by side");
    return "cat(" + of(tensor.operands()[0]) + ")";
  }

  /// Writes join(...) for a view that puts the heads' numbers side by side; other views add nothing.
  std::string split_or_joined(const Tensor& tensor) {
    const Tensor& from = tensor.operands()[0];
    if (!is_weighed(from) || tensor.shape().size() >= from.shape().size()) {
      return of(from);
    }
    add_term("join: the numbers of all heads side by side");
    return "join(" + of(from) + ")";
  }

  static std::string number(double value) {
    return std::isinf(value) ? (value < 0 ? "-inf" : "inf") : text::factor_text(value);
  }

  void add_term(const std::string& term) {
    if (std::find(formula.terms.begin(), formula.terms.end(), term) == formula.terms.end()) {
      formula.terms.push_back(term);
    }
  }
};

}  // namespace

const Step* result_of(std::span<const Step> steps) {
  const Step* vector = nullptr;
  const Step* matrix = nullptr;
  for (const Step& step : steps) {
    if (is_result(step) && is_weighed(*step.tensor)) {
      (step.tensor->dim() < 2 ? vector : matrix) = &step;
    }
  }
  return matrix != nullptr ? matrix : vector;
}

Formula formula_of(std::span<const Step> steps) {
  const Step* const result = result_of(steps);
  if (result == nullptr) {
    return {};
  }
  Formula formula = FormulaMaker(*result).formula;
  std::reverse(formula.terms.begin(), formula.terms.end());
  return formula;
}

}  // namespace attn::render
