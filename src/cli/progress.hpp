#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace attn::cli {

/// Tells somebody at a terminal, in one line of standard error, how much of what takes long is saved; gone with the
/// object. Says nothing where standard error is no terminal, and of what is soon done.
class Progress {
 public:
  explicit Progress(std::int64_t bytes);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void add(std::size_t bytes);

 private:
  using Clock = std::chrono::steady_clock;

  void tell(double seconds);

  std::int64_t bytes_;
  std::int64_t done_ = 0;
  bool is_seen_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  std::size_t width_ = 0;  ///< of the line that stands there
};

}  // namespace attn::cli
