#pragma once

#include <functional>
#include <unordered_map>
#include <utility>

#include "tensor/tensor.hpp"

namespace attn {

/// Walks from tensors down to their leaves and lets a rule replace tensors. The tensors above are rebuilt lazily with
/// the same operations and keep their names. Random draws are leaves that are already drawn, so rewriting never changes
/// them. Shared operands are rewritten once.
class Rewriter {
 public:
  /// Receives a tensor before rewriting and the same tensor with rewritten operands; returns the latter if the rule
  /// does not apply.
  using Rule = std::function<Tensor(const Tensor& was, const Tensor& is)>;

  explicit Rewriter(Rule rule) : rule_(std::move(rule)) {}

  /// Throws ShapeError if the rule replaces a tensor with one of another shape or dtype.
  Tensor operator()(const Tensor& tensor) { return rewritten(tensor); }

 private:
  const Tensor& rewritten(const Tensor& tensor);

  Rule rule_;
  std::unordered_map<const void*, Tensor> done_;
};

}  // namespace attn
