#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "torch/generator.hpp"

namespace attn::torch {

/// Returns copies of a generator advanced by any number of draws: it advances once and saves the states on the way.
class Waypoints {
 public:
  explicit Waypoints(const Generator& start) : marks_{start} {}

  /// The generator after this many 32-bit draws. Thread-safe.
  [[nodiscard]] Generator after(std::uint64_t draws);

 private:
  static constexpr std::uint64_t between = std::uint64_t{1} << 19U;

  std::mutex mutex_;
  std::vector<Generator> marks_;
};

}  // namespace attn::torch
