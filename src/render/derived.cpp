#include "render/derived.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "text/numbers.hpp"

namespace attn::render {
namespace {

using Rule = Derivation::Rule;
using Term = Derivation::Term;

template <class T>
T softmax_value(const Tensor& tensor, const Derivation& derivation) {
  T largest = -std::numeric_limits<T>::infinity();
  for (const Term& term : derivation.terms) {
    largest = std::max(largest, static_cast<T>(value_of(tensor, term.a)));
  }
  T sum = 0;
  for (const Term& term : derivation.terms) {
    sum += std::exp(static_cast<T>(value_of(tensor, term.a)) - largest);
  }
  return std::exp(static_cast<T>(value_of(tensor, derivation.terms[derivation.position].a)) - largest) / sum;
}

/// The derivation from left to right in arithmetic of type T.
template <class T>
T evaluated(const Tensor& tensor, const Derivation& derivation) {
  const auto of = [&tensor](const Element& element) { return static_cast<T>(value_of(tensor, element)); };
  const auto constant = static_cast<T>(derivation.constant);
  const std::vector<Term>& terms = derivation.terms;
  T sum = 0;
  switch (derivation.rule) {
    case Rule::given: break;
    case Rule::copy: return of(terms[0].a);
    case Rule::products:
      for (const Term& term : terms) {
        sum += of(term.a) * of(*term.b);
      }
      return derivation.bias ? sum + of(*derivation.bias) : sum;
    case Rule::sum:
      for (const Term& term : terms) {
        sum += of(term.a);
      }
      return sum;
    case Rule::product: return of(terms[0].a) * of(*terms[0].b);
    case Rule::quotient: return of(terms[0].a) / (terms[0].b ? of(*terms[0].b) : constant);
    case Rule::exponential: return std::exp(of(terms[0].a));
    case Rule::softmax: return softmax_value<T>(tensor, derivation);
    case Rule::masked: return constant;
    case Rule::kept:
    case Rule::dropped: return of(terms[0].a) * constant;
    case Rule::comparison:
      return std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
        return is_close(value_of(tensor, term.a), value_of(tensor, *term.b));
      });
  }
  return sum;
}

}  // namespace

Derivation derived(const Tensor& tensor, const Shape& index) {
  const Operation& operation = tensor.operation();
  return operation.is_parameter() ? Derivation(Rule::given) : operation.derive(tensor.operands(), index);
}

double value_of(const Tensor& tensor, const Element& element) {
  return tensor.operands()[element.operand].array().value(element.index);
}

double double_value(const Tensor& tensor, const Derivation& derivation) {
  return evaluated<double>(tensor, derivation);
}

float float_value(const Tensor& tensor, const Derivation& derivation) { return evaluated<float>(tensor, derivation); }

Exponentials exponentials_of(const Tensor& tensor, const Derivation& derivation) {
  const auto of = [&](const Term& term) { return static_cast<float>(value_of(tensor, term.a)); };
  Exponentials result{of(derivation.terms[0]), {}, {}};
  for (const Term& term : derivation.terms) {
    result.largest = std::max(result.largest, of(term));
  }
  for (const Term& term : derivation.terms) {
    result.differences.push_back(of(term) - result.largest);
    result.values.push_back(std::exp(static_cast<double>(result.differences.back())));
    result.total += result.values.back();
  }
  return result;
}

std::string arithmetic_text(double value, int precision) {
  const double size = std::abs(value);
  const bool is_fixed = size == 0 || !std::isfinite(value) || (size >= 1e-4 && size < 1e6);
  const auto format = is_fixed ? std::chars_format::fixed : std::chars_format::scientific;
  return text::number_text(size == 0 ? 0 : value, format, precision + 2);
}

bool is_close(double a, double b) {
  const float x = static_cast<float>(a);
  const float y = static_cast<float>(b);
  return x == y || std::abs(x - y) <= 1e-08F + std::abs(1e-05F * y);
}

}  // namespace attn::render
