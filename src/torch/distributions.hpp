#pragma once

#include <cstdint>
#include <span>

#include "tensor/kernels.hpp"
#include "torch/generator.hpp"

namespace attn::torch {

/// `out.uniform_(from, to)`: one draw per element. `torch.rand` is from 0 to 1.
void uniform(Generator& generator, std::span<float> out, double from, double to, Cpu cpu);

/// `out.normal_()`, which is `torch.randn`: mean 0, standard deviation 1. Fewer than 16 elements are computed one by
/// one and may leave a normal in the generator; 16 or more are computed in blocks of 16.
void normal(Generator& generator, std::span<float> out, Cpu cpu);

/// Some rows of the matrix [num_embeddings, dim] that one `normal_()` fills: `out` [rows, dim] receives the rows named
/// by `rows`, in that order. The generator ends as if the whole matrix had been drawn, but work and memory grow only
/// with the requested rows (skipping a draw is cheap).
///
/// The matrix must have fewer than 2^63 elements, each entry of `rows` must be a row of the matrix, and `out` must have
/// room for rows times dim.
void normal_rows(Generator& generator, std::int64_t num_embeddings, std::int64_t dim,
                 std::span<const std::int64_t> rows, std::span<float> out, Cpu cpu);

/// `out.bernoulli_(p)`: each element is true with probability p, in [0, 1]. Draws nothing if `out` is empty. Dropout(d)
/// keeps the elements for which `bernoulli_(1 - d)` is true.
void bernoulli(Generator& generator, std::span<bool> out, double p, DropoutKernel kernel);

/// The elements from `first` on of a larger `bernoulli_` that begins at `start`.
void bernoulli_from(Waypoints& start, std::uint64_t first, std::span<bool> out, double p, DropoutKernel kernel);

/// The bound of nn.Linear's weight, which is uniform in [-bound, bound]. `in_features` is at least 1.
[[nodiscard]] double linear_weight_bound(std::int64_t in_features);

/// The bound of nn.Linear's bias, which is uniform in [-bound, bound] and drawn after the weight. `in_features` is at
/// least 1.
[[nodiscard]] double linear_bias_bound(std::int64_t in_features);

}  // namespace attn::torch
