#include "tensor/derivation.hpp"

#include <utility>

namespace attn {

Derivation::Derivation(Rule rule_) : rule(rule_) {}

Derivation::Derivation(Rule rule_, Element a, std::optional<Element> b, double constant_)
    : rule(rule_), constant(constant_) {
  add(std::move(a), std::move(b));
}

void Derivation::add(Element a, std::optional<Element> b) { terms.push_back({std::move(a), std::move(b)}); }

std::string_view rule_name(Derivation::Rule rule) {
  using Rule = Derivation::Rule;
  switch (rule) {
    case Rule::given: return "given";
    case Rule::copy: return "copy";
    case Rule::products: return "products";
    case Rule::sum: return "sum";
    case Rule::product: return "product";
    case Rule::difference: return "difference";
    case Rule::maximum: return "maximum";
    case Rule::quotient: return "quotient";
    case Rule::exponential: return "exponential";
    case Rule::cosine: return "cosine";
    case Rule::sine: return "sine";
    case Rule::root: return "root";
    case Rule::inverse_root: return "inverse root";
    case Rule::raised: return "raised";
    case Rule::mean: return "mean";
    case Rule::variance: return "variance";
    case Rule::inverse_deviation: return "inverse deviation";
    case Rule::softmax: return "softmax";
    case Rule::softmax_gradient: return "softmax_gradient";
    case Rule::masked: return "masked";
    case Rule::kept: return "kept";
    case Rule::dropped: return "dropped";
    case Rule::comparison: return "comparison";
  }
  return "given";
}

}  // namespace attn
