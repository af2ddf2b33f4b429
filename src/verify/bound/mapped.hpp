#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/bound/interval.hpp"

namespace attn::verify {

/// How the elements of a tensor come from those of others, where no lesson has the operation.
struct Mapping {
  std::function<std::string(const std::vector<std::string>&)> words;  ///< given those of the operands
  std::function<std::vector<Element>(const Shape&)> elements;         ///< what one is made of
  std::function<Interval(std::span<const Interval>)> bound;           ///< what it is made to be
};

/// A tensor of this shape that is so made.
Tensor mapped(std::vector<Tensor> operands, const Shape& shape, Mapping mapping);

/// What a mapped tensor's element is, of what it is made of.
Interval bound_of_mapped(const Tensor& tensor, std::span<const Interval> elements);

}  // namespace attn::verify
