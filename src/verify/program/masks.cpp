#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "verify/bound/observed.hpp"
#include "verify/bound/patterns.hpp"
#include "verify/program/value_parts.hpp"

/// Comparisons of a listing, and what masks do.
namespace attn::verify {

bool holds(std::string_view sign, double a, double b) {
  switch (sign[0]) {
    case '=': return a == b;
    case '!': return a != b;
    case '<': return sign.size() > 1 ? a <= b : a < b;
    case '>': return sign.size() > 1 ? a >= b : a > b;
    case '&': return a != 0 && b != 0;
    case '|': return a != 0 || b != 0;
    default: return (a != 0) != (b != 0);
  }
}

namespace {

std::string words_of(const Value& x) { return !x.tensor ? x.words : x.tensor->words(); }

/// Returns true for lists of True and False that the program writes out, which are read as 1 and 0.
bool are_flags(const Tensor& x) {
  if (!x.operands().empty()) {
    const bool is_moved = x.kind() == Kind::stack || x.kind() == Kind::view || x.kind() == Kind::contiguous;
    return is_moved && std::ranges::all_of(x.operands(), are_flags);
  }
  bool are = x.words().starts_with("torch.tensor([");
  for (std::int64_t i = 0; i < element_count(x.shape()) && are; ++i) {
    const double value = x.value(index_at(i, x.shape()));
    are = value == 0 || value == 1;
  }
  return are;
}

}  // namespace

Value compared(std::string_view sign, const Value& a, const Value& b) {
  const auto shape_of = [](const Value& x) { return x.tensor ? x.tensor->shape() : Shape{}; };
  const auto shape = broadcast(shape_of(a), shape_of(b));
  const bool are_known = (a.tensor || a.number) && (b.tensor || b.number) && (a.tensor || b.tensor);
  if (!are_known || !shape || element_count(*shape) > most_computed) {
    return {};
  }
  const auto value_at = [](const Value& x, const Shape& index) {
    return x.tensor ? x.tensor->value(index_in(index, x.tensor->shape())) : *x.number;
  };
  std::vector<bool> places;
  for (std::int64_t i = 0; i < element_count(*shape); ++i) {
    const Shape index = index_at(i, *shape);
    places.push_back(holds(sign, value_at(a, index), value_at(b, index)));
  }
  const bool is_of_mask = a.tensor && a.tensor->dtype() == DType::boolean;
  const std::string words = is_of_mask && sign == "==" && b.number == 0.0 ? "~" + grouped(words_of(a))
                                                                          : infix(sign, words_of(a), words_of(b));
  return value_of(mask_at(*shape, places, words));
}

Value as_numbers(const Tensor& x) {
  if (x.dtype() != DType::boolean) {
    return value_of(x);
  }
  return value_of(leaf_of(exactly(x.shape(), values_of(x)), words_of(value_of(x))));
}

Value hidden_by(const Passed& given) {
  const Value& scores = given.plain[0];
  Value mask = given.get("mask", 1);
  if (!scores.tensor || !mask.tensor) {
    return {};
  }
  if (mask.tensor->dtype() != DType::boolean && are_flags(*mask.tensor)) {
    mask = compared("!=", mask, value_of(0));
  }
  if (mask.tensor->dtype() != DType::boolean) {
    return combined("+", scores, mask);
  }
  if (given.get("hides", 2).number == 0.0) {
    mask = compared("==", mask, value_of(0));
  }
  return masked(*scores.tensor, mask, value_of(-HUGE_VAL));
}

}  // namespace attn::verify
