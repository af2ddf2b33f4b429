#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "system/passing_line.hpp"

namespace attn::cli {

/// Shows on a terminal, in one line on standard error, how much is saved and how long the rest will take. Shows nothing
/// if standard error is not a terminal, or in the first half second.
class Progress {
 public:
  explicit Progress(std::int64_t bytes);

  void add(std::size_t bytes);

 private:
  using Clock = std::chrono::steady_clock;

  void show(double seconds);

  std::int64_t bytes_;
  std::int64_t done_ = 0;
  bool is_seen_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  system::PassingLine line_;
};

}  // namespace attn::cli
