#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "verify/explain/known_steps.hpp"
#include "verify/explain/likeness.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// How well an explanation fits a page.
struct Score {
  std::int64_t tensors = 0;
  std::int64_t sizes = 0;
  std::int64_t last_digits = 0;
  std::int64_t differing = 0;

  bool operator==(const Score&) const = default;
  bool is_better_than(const Score& other) const {
    return std::tuple(-tensors, -sizes, last_digits, differing) <
           std::tuple(-other.tensors, -other.sizes, other.last_digits, other.differing);
  }
};

/// The score of an explanation. `likenesses` has those of each printed tensor.
Score score_of(const KnownSteps& known, std::span<const Printed> printed,
               std::span<const std::vector<Likeness>> likenesses);

/// The best explanation that is allowed. Throws std::invalid_argument where none is.
std::size_t choose_explanation(std::span<const KnownSteps> known, std::span<const Printed> printed,
                               std::span<const std::vector<Likeness>> likenesses);

}  // namespace attn::verify
