#pragma once

#include <cstdint>
#include <span>

#include "tensor/kernels.hpp"
#include "torch/generator.hpp"
#include "torch/waypoints.hpp"

namespace attn::torch {

/// `out.uniform_(from, to)`: one draw for each element. `torch.rand` is from 0 to 1.
void uniform(Generator& generator, std::span<float> out, double from, double to, Cpu cpu);

/// `out.normal_()`, which is `torch.randn`: mean 0, standard deviation 1. Fewer than 16 elements
/// are made one by one and may leave a normal in the generator, from 16 on they are made in blocks
/// of 16.
void normal(Generator& generator, std::span<float> out, Cpu cpu);

/// Some rows of the matrix [num_embeddings, dim] that one `normal_()` fills: `out` [rows, dim] gets
/// the rows named by `rows`, in that order. The generator ends as if the whole matrix had been
/// drawn, but work and memory go with the rows asked for (and passing over a draw is cheap).
///
/// The matrix has fewer than 2^63 elements, each row is one of its own, and `out` has room for rows times dim.
void normal_rows(Generator& generator, std::int64_t num_embeddings, std::int64_t dim,
                 std::span<const std::int64_t> rows, std::span<float> out, Cpu cpu);

/// `out.bernoulli_(p)`: each element true with probability p. Draws nothing if `out` is empty.
/// Dropout(d) keeps where `bernoulli_(1 - d)` is true. p is in [0, 1].
void bernoulli(Generator& generator, std::span<bool> out, double p, DropoutKernel kernel);

/// Elements from `first` on of such a `bernoulli_` of more elements, which begins where `start` does.
void bernoulli_from(Waypoints& start, std::uint64_t first, std::span<bool> out, double p, DropoutKernel kernel);

/// nn.Linear's weight is uniform in [-bound, bound], with this bound. `in_features` is at least 1.
[[nodiscard]] double linear_weight_bound(std::int64_t in_features);

/// nn.Linear's bias is uniform in [-bound, bound], with this bound; drawn after the weight. `in_features` is at
/// least 1.
[[nodiscard]] double linear_bias_bound(std::int64_t in_features);

}  // namespace attn::torch
