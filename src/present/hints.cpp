#include "present/hints.hpp"

#include <algorithm>
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
    add_terms(lines, [this](std::size_t i) {
      const Term& term = derivation_.terms[i];
      return named(term.a) + (term.b ? ", " + named(*term.b) : "");
    });
    if (derivation_.bias) {
      lines.push_back(named(*derivation_.bias));
    }
    return lines;
  }

  Hint products() const {
    Hint lines = {"to be added:"};
    add_terms(lines, [this](std::size_t i) {
      const Term& term = derivation_.terms[i];
      return number(value(term.a)) + " * " + number(value(*term.b)) + " = " +
             number(static_cast<double>(static_cast<float>(value(term.a)) * static_cast<float>(value(*term.b))));
    });
    if (derivation_.bias) {
      lines.push_back(number(value(*derivation_.bias)));
    }
    return lines;
  }

  Hint exponentials() const {
    const render::Exponentials exponentials = render::exponentials_of(tensor_, derivation_);
    Hint lines = {number(exponentials.values[derivation_.position]) + " divided by the sum of:"};
    add_terms(lines, [&](std::size_t i) {
      return "exp(" + number(value(derivation_.terms[i].a)) + " - " + number(static_cast<double>(exponentials.largest)) +
             ") = " + number(exponentials.values[i]);
    });
    return lines;
  }

  void add_terms(Hint& lines, const std::function<std::string(std::size_t term)>& words) const {
    const std::size_t shown = std::min(derivation_.terms.size(), most_terms);
    for (std::size_t i = 0; i < shown; ++i) {
      lines.push_back(words(i));
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
