#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tensor/tensor.hpp"
#include "torch/draws.hpp"
#include "verify/explain/relations.hpp"
#include "verify/page/printed.hpp"

namespace attn::verify {

inline constexpr std::int64_t small_seeds = 2'048;   ///< those below it are usual
inline constexpr std::int64_t most_seeds = 100'000;  ///< those below it are tried

/// The numbers that a page gives after the word seed or the like: "seed_everything(42)", "a seed of 42".
std::vector<std::int64_t> named_seeds(std::string_view page);

/// The seeds that people give, the likeliest first: small ones, and numbers that are easily typed.
std::span<const std::int64_t> usual_seeds();

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

/// Finds the seeds that the printed numbers reveal: tries `first`, then usual seeds, then all `below` a limit, with as
/// many drawings as a bounded amount of work allows. Few cells may be wrong; coincidence is excluded. In the order of
/// seeds tried.
std::vector<Revealed> find_seeds(std::span<const Drawing> drawings, std::span<const std::int64_t> first = {},
                                 std::int64_t below = most_seeds);

/// Finds tensors that are the first draws after a seed: torch.rand, torch.randn, nn.Linear's weight, nn.Dropout's mask.
std::vector<Source> find_draws(std::span<const Printed* const> unexplained);

}  // namespace attn::verify
