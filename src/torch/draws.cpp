#include "torch/torch.hpp"

#include <algorithm>
#include <unordered_set>

#include "tensor/operations.hpp"

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

std::vector<Tensor> redrawn(const Draws& draws, Seed seed, const std::vector<bool>& wanted) {
  std::vector<bool> needed = wanted;
  for (std::size_t i = draws.draws.size(); i-- > 1;) {
    needed[i - 1] = needed[i - 1] || (needed[i] && draws.draws[i].left_over);
  }
  std::vector<Tensor> leaves;
  Generator generator(seed);
  for (std::size_t i = 0; i < draws.draws.size(); ++i) {
    const Draw& draw = draws.draws[i];
    if (i > 0 && draw.seeding != draws.draws[i - 1].seeding) {
      generator.manual_seed(seed);
    }
    if (!needed[i]) {
      leaves.push_back(draw.leaf);
      continue;
    }
    if (!draw.left_over) {
      static_cast<void>(generator.take_cached_normal());
    }
    generator.discard(std::max(draw.first, generator.count()) - generator.count());
    leaves.push_back(drawn_by(generator, draw));
  }
  return leaves;
}

Tensor redrawn(const Tensor& tensor, const Draws& draws, Seed seed) {
  std::unordered_set<const void*> sources;
  for_each_source(tensor, sources, [](const Tensor&) {});
  std::vector<bool> wanted;
  for (const Draw& draw : draws.draws) {
    wanted.push_back(sources.contains(draw.leaf.id()));
  }
  const std::vector<Tensor> leaves = redrawn(draws, seed, wanted);
  Rewriter rewriter([&](const Tensor& was, const Tensor& is) {
    const auto draw = std::ranges::find_if(draws.draws, [&](const Draw& one) { return one.leaf.id() == was.id(); });
    return draw == draws.draws.end() ? is : leaves[static_cast<std::size_t>(draw - draws.draws.begin())];
  });
  return rewriter(tensor);
}

}  // namespace attn::torch
