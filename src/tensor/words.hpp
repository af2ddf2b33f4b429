#pragma once

#include <string_view>

#include "tensor/operations.hpp"

namespace attn {

/// An expression as an operand of an infix operator or before a dot: parenthesised if it contains an operator,
/// recognised by the blank before it; a name may contain a blank too ("line 44").
std::string grouped(const std::string& expression);

/// The text in brackets before the entry of an axis: ":, " for each earlier axis, "..., " for the last, -1.
std::string axes_before(std::int64_t axis);

/// "a, b, c"
std::string listed(const std::vector<std::string>& operands);

/// Python's repr of a float, the shortest digits that round-trip: "0.5", "1.0", "1e-05".
std::string python_repr(double value);

/// A template with its places filled in: {a}, {b} and {c} are the operands, {(a)} is one parenthesised if needed, {all}
/// are all of them between commas.
std::string filled(std::string_view words, const std::vector<std::string>& operands);

/// What is said of an operation, as templates.
struct Wording {
  Facts facts;
  std::string autograd;      ///< empty if it has no gradient
  std::string words;         ///< as people write it
  std::string numpy = {};    ///< empty if they are the words
  std::string pytorch = {};  ///< likewise
};

/// An operation of which all that is known when it is made.
class Worded : public Operation {
 public:
  explicit Worded(Wording is) : is_(std::move(is)) {}

  std::string words(const std::vector<std::string>& operands) const override { return filled(is_.words, operands); }
  std::string pytorch(const std::vector<std::string>& operands) const override {
    return is_.pytorch.empty() ? words(operands) : filled(is_.pytorch, operands);
  }
  std::string numpy(const std::vector<std::string>& operands) const override {
    return is_.numpy.empty() ? words(operands) : filled(is_.numpy, operands);
  }
  Facts facts() const override { return is_.facts; }
  std::string autograd_name(const std::vector<Tensor>&) const override { return is_.autograd; }

 private:
  Wording is_;
};

/// An operation of each element, or of those at the same place of several operands, which are repeated along axes that
/// they lack or that have size 1.
class Pointwise : public Worded {
 public:
  using Worded::Worded;

  std::optional<std::vector<Need>> needs(const std::vector<Tensor>& operands, Box& part) const override;
};

/// An operation whose result has the elements of its first operand, at other places.
class Moved : public Worded {
 public:
  using Worded::Worded;

  /// By the place that it needs.
  Derivation derive(const std::vector<Tensor>& operands, const Shape& index) const override;
};

}  // namespace attn
