#pragma once

#include <string_view>

#include "tensor/array.hpp"

namespace attn {

/// One element of an operation's operand.
struct Element {
  std::size_t operand;
  Shape index;
};

/// The computation of one element from operands' elements, as needed to compute it by hand.
struct Derivation {
  enum class Rule {
    given,         ///< no operand: a constant, an input or a random draw
    copy,          ///< terms[0].a at another place: views, stack, cat, nn.Parameter; b, if any, is the mask's False
    products,      ///< the sum of all a * b, plus the bias if there is one
    sum,           ///< the sum of all a
    product,       ///< terms[0].a * terms[0].b, or * constant if there is no b
    difference,    ///< terms[0].a - terms[0].b
    maximum,       ///< the largest of all a
    quotient,      ///< terms[0].a / terms[0].b, or / constant if there is no b
    exponential,   ///< exp(terms[0].a)
    cosine,        ///< cos(terms[0].a)
    sine,          ///< sin(terms[0].a)
    root,          ///< sqrt(terms[0].a)
    inverse_root,  ///< 1 / sqrt(terms[0].a)
    raised,        ///< terms[0].a + constant
    mean,          ///< the mean of all a
    variance,      ///< the mean of all squared differences from the mean of all a
    inverse_deviation,  ///< 1 / sqrt(their variance + constant)
    softmax,            ///< exp(terms[position].a - max) / sum of all exp(a - max)
    softmax_gradient,   ///< (terms[position].a - sum of all a * b) * terms[position].b
    masked,             ///< constant, because the mask's element terms[0].a is True
    kept,               ///< terms[0].a * constant, because the mask's element terms[0].b is True
    dropped,            ///< 0, because the mask's element terms[0].b is False
    comparison,         ///< whether every a is close to its b
  };

  struct Term {
    Element a;
    std::optional<Element> b;
  };

  explicit Derivation(Rule kind) : rule(kind) {}
  /// A derivation with one term.
  Derivation(Rule kind, Element a, std::optional<Element> b = {}, double number = 0) : rule(kind), constant(number) {
    add(std::move(a), std::move(b));
  }
  /// From the elements of the first operand along an axis; with pairs also from those of the second.
  static Derivation along(Rule rule, Shape index, std::size_t axis, std::int64_t size, bool is_of_pairs = false) {
    Derivation derivation(rule);
    derivation.position = static_cast<std::size_t>(index[axis]);
    for (index[axis] = 0; index[axis] < size; ++index[axis]) {
      derivation.add({0, index}, is_of_pairs ? std::optional(Element{1, index}) : std::nullopt);
    }
    return derivation;
  }
  void add(Element a, std::optional<Element> b = {}) { terms.push_back({std::move(a), std::move(b)}); }

  Rule rule;
  std::vector<Term> terms;  ///< in the order of the arithmetic
  std::optional<Element> bias;
  double constant = 0;
  std::size_t position = 0;
};

/// The rule's name for programs: "products".
constexpr std::string_view rule_name(Derivation::Rule rule) {
  constexpr std::string_view names[] = {"given",
                                        "copy",
                                        "products",
                                        "sum",
                                        "product",
                                        "difference",
                                        "maximum",
                                        "quotient",
                                        "exponential",
                                        "cosine",
                                        "sine",
                                        "root",
                                        "inverse root",
                                        "raised",
                                        "mean",
                                        "variance",
                                        "inverse deviation",
                                        "softmax",
                                        "softmax_gradient",
                                        "masked",
                                        "kept",
                                        "dropped",
                                        "comparison"};
  return names[static_cast<std::size_t>(rule)];
}

}  // namespace attn
