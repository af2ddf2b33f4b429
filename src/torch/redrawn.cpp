#include "torch/redrawn.hpp"

#include <utility>

#include "tensor/operations.hpp"
#include "torch/generator.hpp"

namespace attn::torch {

std::optional<Tensor> redrawn(const Draw& draw, const Draws& draws, std::int64_t shift) {
  const std::int64_t first = static_cast<std::int64_t>(draw.first) + shift;
  if (first < 0) {
    return std::nullopt;
  }
  Generator generator(draws.seeds.at(draw.seeding));
  generator.discard(static_cast<std::uint64_t>(first));
  if (draw.left_over) {
    generator.cache_normal(*draw.left_over);
  }
  auto fill = [contents = draw.make(generator)]() mutable { return std::move(contents); };
  return leaf(draw.leaf.shape(), draw.leaf.dtype(), draw.leaf.expression(), std::move(fill), draw.leaf.kernels());
}

}  // namespace attn::torch
