#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "torch/generator.hpp"

namespace attn::torch {

/// A generator as it will be after some draws, from any of them on: it goes the way once, and leaves marks.
class Waypoints {
 public:
  explicit Waypoints(const Generator& start) : marks_{start} {}

  /// The generator after so many 32-bit draws. May be called at once by several threads.
  [[nodiscard]] Generator after(std::uint64_t draws);

 private:
  static constexpr std::uint64_t between = std::uint64_t{1} << 19U;

  std::mutex mutex_;
  std::vector<Generator> marks_;
};

}  // namespace attn::torch
