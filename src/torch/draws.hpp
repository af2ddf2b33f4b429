#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"
#include "torch/seed.hpp"

namespace attn::torch {

class Generator;

/// One call that drew random numbers.
struct Draw {
  Tensor leaf;                                         ///< the drawn tensor; for an nn.Parameter, its data
  std::function<Contents(Generator& generator)> make;  ///< repeats the draw at the generator's position
  std::size_t seeding = 0;                             ///< the preceding manual_seed call: an index into Draws::seeds
  std::uint64_t first = 0;                             ///< its first 32-bit word, counted from that call
  std::uint64_t count = 0;                             ///< number of words; 0 if the draw was only planned
  std::optional<Tensor> ids;                           ///< for an embedding: the rows that are kept
  std::optional<double> left_over =
      {};                   ///< the normal left over in the generator before the draw; a small normal_ uses it
  std::string module = {};  ///< for an nn.Linear's weight or bias: the variable of the module
};

/// A program's draws, in its order.
struct Draws {
  Kernels kernels;
  DropoutKernel dropout_kernel = DropoutKernel::standard;
  std::vector<Seed> seeds = {0};  ///< the initial seed, then that of each manual_seed call
  std::vector<Draw> draws = {};
};

}  // namespace attn::torch
