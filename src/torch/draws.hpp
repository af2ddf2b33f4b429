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
  Tensor leaf;                                         ///< what was drawn; of an nn.Parameter, its data
  std::function<Contents(Generator& generator)> make;  ///< draws the like of it from where the generator stands
  std::size_t seeding = 0;                             ///< the manual_seed call before it: an index into Draws::seeds
  std::uint64_t first = 0;                             ///< its first 32-bit word, counted from that call on
  std::uint64_t count = 0;    ///< how many words it took; 0 where nothing was drawn but planned
  std::optional<Tensor> ids;  ///< of an embedding: the rows that are kept
  std::optional<double> left_over =
      {};                   ///< the normal that the generator had left over before it: a small normal_ takes it
  std::string module = {};  ///< of an nn.Linear's weight or bias: the variable that holds the module
};

/// What a program drew, in its order.
struct Draws {
  Kernels kernels;
  DropoutKernel dropout_kernel = DropoutKernel::standard;
  std::vector<Seed> seeds = {0};  ///< the generator's own, then that of each manual_seed call
  std::vector<Draw> draws = {};
};

}  // namespace attn::torch
