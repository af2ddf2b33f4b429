#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace attn::present {

/// The pace at which the presenter advances by itself.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Never advances if there are no seconds.
  explicit Pace(std::optional<double> seconds) : seconds_(seconds) { restart(); }

  bool is_on() const { return seconds_.has_value(); }
  /// The time of the next advance; empty if the pace is off or paused.
  std::optional<Clock::time_point> deadline() const;
  /// Restarts the waiting time.
  void restart();
  void pause() { paused_ = true; }
  void pause_or_go_on();

  /// "auto 5 s, space pauses"; empty if the pace is off.
  std::string words() const;

 private:
  std::optional<double> seconds_;
  bool paused_ = false;
  Clock::time_point begun_;
};

}  // namespace attn::present
