#include "present/hints.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "render/cell_words.hpp"
#include "render/derived.hpp"

namespace attn::present {
namespace {

using Rule = Derivation::Rule;
using Hint = std::vector<std::string>;

/// Of more terms, the first ones are enough to see what is to be done.
constexpr std::size_t most_terms = 24;

class Hints {
 public:
  Hints(const render::Cell& cell, std::span<const std::string> tokens, const torch::PrintOptions& print)
      : tensor_(*cell.step->tensor), words_(*cell.step, tokens), print_(print),
        derivation_(render::derived(tensor_, cell.index)) {}

  std::vector<Hint> all() const {
    switch (derivation_.rule) {
      case Rule::given: return {};
      case Rule::products: return {operands(), products()};
      case Rule::softmax: return {operands(), exponentials()};
      default: return {operands()};
    }
  }

 private:
  using Term = Derivation::Term;

  Hint operands() const {
    Hint lines = {words_.name(tensor_) + " = " + tensor_.expression()};
    add_terms(lines, [this](const Term& term) { return named(term.a) + (term.b ? ", " + named(*term.b) : ""); });
    if (derivation_.bias) {
      lines.push_back(named(*derivation_.bias));
    }
    return lines;
  }

  Hint products() const {
    Hint lines = {"to be added:"};
    add_terms(lines, [this](const Term& term) {
      return number(value(term.a)) + " * " + number(value(*term.b)) + " = " +
             number(static_cast<double>(static_cast<float>(value(term.a)) * static_cast<float>(value(*term.b))));
    });
    if (derivation_.bias) {
      lines.push_back(number(value(*derivation_.bias)));
    }
    return lines;
  }

  Hint exponentials() const {
    double largest = value(derivation_.terms[0].a);
    for (const Term& term : derivation_.terms) {
      largest = std::max(largest, value(term.a));
    }
    const auto exponential = [&](const Term& term) { return std::exp(value(term.a) - largest); };
    Hint lines = {number(exponential(derivation_.terms[derivation_.position])) + " divided by the sum of:"};
    add_terms(lines, [&](const Term& term) {
      return "exp(" + number(value(term.a)) + " - " + number(largest) + ") = " + number(exponential(term));
    });
    return lines;
  }

  void add_terms(Hint& lines, const std::function<std::string(const Term&)>& words) const {
    const std::size_t shown = std::min(derivation_.terms.size(), most_terms);
    for (std::size_t i = 0; i < shown; ++i) {
      lines.push_back(words(derivation_.terms[i]));
    }
    if (shown < derivation_.terms.size()) {
      lines.push_back("... " + std::to_string(derivation_.terms.size() - shown) + " more ...");
    }
  }

  double value(const Element& element) const { return render::value_of(tensor_, element); }

  std::string named(const Element& element) const {
    const Tensor& operand = tensor_.operands()[element.operand];
    const std::string cell = words_.cell(operand, element.index) + " = ";
    return operand.dtype() == DType::boolean ? cell + (value(element) != 0 ? "True" : "False") : cell + number(value(element));
  }

  std::string number(double value) const { return render::arithmetic_text(value, print_.precision); }

  const Tensor& tensor_;
  render::CellWords words_;
  torch::PrintOptions print_;
  Derivation derivation_;
};

}  // namespace

std::vector<Hint> hints(const render::Cell& cell, std::span<const std::string> tokens, const torch::PrintOptions& print) {
  return Hints(cell, tokens, print).all();
}

}  // namespace attn::present
