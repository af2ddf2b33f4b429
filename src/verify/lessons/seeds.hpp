#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/tensor.hpp"
#include "torch/draws.hpp"
#include "verify/explain/relations.hpp"
#include "verify/page/printed.hpp"

namespace attn::verify {

/// A tensor that may be the printed one after another seed. The draws are those of its program.
struct Drawing {
  const Printed* printed = nullptr;
  Tensor tensor;
  const torch::Draws* draws = nullptr;
};

/// A seed with which a drawing has the printed numbers.
struct Revealed {
  std::size_t drawing = 0;
  std::int64_t seed = 0;
};

/// Finds the seeds that the printed numbers reveal: tries `first` and, if there may be others, usual seeds and all
/// below 100,000, with as many drawings as a bounded amount of work allows. Few cells may be wrong; coincidence is
/// excluded. In the order of seeds tried.
std::vector<Revealed> find_seeds(std::span<const Drawing> drawings, std::span<const std::int64_t> first = {},
                                 bool only_first = false);

/// The seeds that people give, the likeliest first: small ones, and numbers that are easily typed.
std::span<const std::int64_t> usual_seeds();

/// Finds tensors that are the first draws after a seed: torch.rand, torch.randn, nn.Linear's weight, nn.Dropout's mask.
std::vector<Source> find_draws(std::span<const Printed* const> unexplained);

}  // namespace attn::verify
