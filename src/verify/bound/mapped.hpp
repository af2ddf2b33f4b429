#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/bound/interval.hpp"

namespace attn::verify {

/// How a tensor's elements follow from those of others, for an operation that no lesson has.
struct Mapping {
  std::function<std::string(const std::vector<std::string>&)> words;  ///< from the operands' expressions
  std::function<std::vector<Element>(const Shape&)> elements;         ///< the elements that an element depends on
  std::function<Interval(std::span<const Interval>)> bound;           ///< the bound computed from them
};

/// Creates a tensor of this shape with this mapping.
Tensor mapped(std::vector<Tensor> operands, const Shape& shape, Mapping mapping);

/// The bound of a mapped tensor's element, from the bounds of the elements that it depends on.
Interval bound_of_mapped(const Tensor& tensor, std::span<const Interval> elements);

}  // namespace attn::verify
