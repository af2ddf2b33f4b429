#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/array.hpp"
#include "verify/explain/finding.hpp"

namespace attn::verify {

/// The first random numbers after a seed.
struct Drawn {
  std::int64_t seed = 0;
  Shape shape;
  std::vector<double> values;  ///< row-major
  std::string words;           ///< "torch.rand(3, 2) after torch.manual_seed(64)"
  std::int64_t d_out = 0;      ///< for a matrix of weights; 0 for other tensors
};

/// Finds unknown tensors of a report among the first draws of common seeds: torch.rand, torch.randn, nn.Linear's
/// weight, nn.Dropout's mask. All seeds below 2,048 are tried, and some popular ones; coincidence is excluded.
std::vector<Drawn> find_draws(const Report& report);

}  // namespace attn::verify
