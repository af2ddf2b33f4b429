#include "torch/redrawn.hpp"

#include <span>
#include <utility>
#include <variant>

#include "tensor/operations.hpp"
#include "torch/distributions.hpp"
#include "torch/generator.hpp"

namespace attn::torch {
namespace {

void draw_again(Generator& generator, std::span<float> out, const Draw& draw, Cpu cpu) {
  const Facts facts = draw.leaf.operation().facts();
  if (facts.kind == Kind::normal) {
    normal(generator, out, cpu);
  } else if (facts.kind == Kind::embedding) {
    const auto contents = draw.ids.value().array().contents();
    const auto& rows = std::get<Block<std::int64_t>>(*contents);
    normal_rows(generator, facts.rows, draw.leaf.size(1), {rows.data(), rows.size()}, out, cpu);
  } else if (facts.fan_in == 0) {
    uniform(generator, out, 0, 1, cpu);
  } else {
    const double bound = draw.leaf.dim() == 1 ? linear_bias_bound(facts.fan_in) : linear_weight_bound(facts.fan_in);
    uniform(generator, out, -bound, bound, cpu);
  }
}

template <class T>
Tensor filled_leaf(const Tensor& like, Block<T> values) {
  return leaf(like.shape(), like.dtype(), like.expression(),
              [values = std::move(values)]() mutable { return Contents(std::move(values)); }, like.kernels());
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
  if (draw.leaf.kind() == Kind::bernoulli) {
    Block<bool> values(draw.leaf.shape());
    bernoulli(generator, {values.data(), values.size()}, draw.leaf.operation().facts().p, draws.dropout_kernel);
    return filled_leaf(draw.leaf, std::move(values));
  }
  Block<float> values(draw.leaf.shape());
  draw_again(generator, {values.data(), values.size()}, draw, draws.kernels.cpu);
  return filled_leaf(draw.leaf, std::move(values));
}

}  // namespace attn::torch
