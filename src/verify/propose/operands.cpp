#include "verify/propose/operands.hpp"

#include <algorithm>

#include "tensor/operations.hpp"

namespace attn::verify {
namespace {

constexpr std::size_t most_inputs = 4;
constexpr std::size_t most_weights = 9;
constexpr std::int64_t most_products = 20'000;

/// The bias that a module prints after its weight.
const Tensor* bias_after(std::span<const Leaf> leaves, std::size_t weight, std::int64_t size) {
  const std::size_t next = weight + 1;
  const bool fits =
      next < leaves.size() && leaves[next].tensor.shape() == Shape{size} && leaves[weight].source.position > 0;
  return fits ? &leaves[next].tensor : nullptr;
}

void add_projection(std::span<const Leaf> leaves, std::size_t x, std::size_t w, bool is_transposed, Operands& to) {
  const Tensor& inputs = leaves[x].tensor;
  const Tensor& weights = leaves[w].tensor;
  const auto product = product_of(inputs, weights, is_transposed);
  if (!product || element_count(inputs.shape()) * product->size(-1) > most_products) {
    return;
  }
  to.projected.push_back({x, w, is_transposed, to.all.size()});
  to.all.push_back(*product);
  if (const Tensor* bias = is_transposed ? bias_after(leaves, w, product->size(-1)) : nullptr) {
    to.projected.push_back({x, w, is_transposed, to.all.size()});
    to.all.push_back(add(*product, *bias));
  }
}

}  // namespace

Operands operands_of(std::span<const Leaf> leaves) {
  Operands result;
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> weights;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Tensor& tensor = leaves[i].tensor;
    result.all.push_back(tensor);
    if (tensor.dim() != 2) {
      continue;
    }
    const bool is_given = leaves[i].source.position == 0;
    if (inputs.size() < most_inputs && (is_given || tensor.size(0) != tensor.size(1))) {
      inputs.push_back(i);
    }
    if (!is_given) {
      weights.push_back(i);
    }
  }
  result.leaves = leaves.size();
  if (weights.size() > most_weights) {
    weights.erase(weights.begin(), weights.end() - static_cast<std::ptrdiff_t>(most_weights));
  }
  for (const std::size_t x : inputs) {
    for (const std::size_t w : weights) {
      if (x != w) {
        add_projection(leaves, x, w, false, result);
        add_projection(leaves, x, w, true, result);
      }
    }
  }
  return result;
}

}  // namespace attn::verify
