#pragma once

#include <functional>
#include <map>

#include "tensor/tensor.hpp"

namespace attn {

/// Walks from tensors down to their leaves and lets a rule put other tensors in their places. What is above is built
/// again with the same operations, lazily, and keeps its name. Random draws are leaves that are drawn already:
/// rewriting never moves them. What several tensors are made of is rewritten once.
class Rewriter {
 public:
  /// Gets a tensor as it was, and as it is with its operands rewritten; returns the latter where the rule does not
  /// apply.
  using Rule = std::function<Tensor(const Tensor& was, const Tensor& is)>;

  explicit Rewriter(Rule rule) : rule_(std::move(rule)) {}

  /// Throws ShapeError where the rule puts a tensor of another shape or dtype in a place.
  Tensor operator()(const Tensor& tensor);

 private:
  Rule rule_;
  std::map<const void*, Tensor> done_;
};

}  // namespace attn
