#include "torch/redrawn.hpp"

#include <algorithm>
#include <utility>

#include "tensor/operations.hpp"
#include "torch/generator.hpp"

namespace attn::torch {
namespace {

Tensor drawn_by(Generator& generator, const Draw& draw) {
  auto fill = [contents = draw.make(generator)]() mutable { return std::move(contents); };
  return leaf(draw.leaf.shape(), draw.leaf.dtype(), draw.leaf.expression(), std::move(fill), draw.leaf.kernels());
}

}  // namespace

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
  return drawn_by(generator, draw);
}

std::vector<Tensor> redrawn(const Draws& draws, Seed seed) {
  std::vector<Tensor> leaves;
  Generator generator(seed);
  for (std::size_t i = 0; i < draws.draws.size(); ++i) {
    const Draw& draw = draws.draws[i];
    if (i > 0 && draw.seeding != draws.draws[i - 1].seeding) {
      generator.manual_seed(seed);
    }
    generator.discard(std::max(draw.first, generator.count()) - generator.count());
    leaves.push_back(drawn_by(generator, draw));
  }
  return leaves;
}

}  // namespace attn::torch
