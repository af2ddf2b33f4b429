#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace attn::present {

/// When the presenter goes on by itself.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Never, where there are no seconds.
  explicit Pace(std::optional<double> seconds) : seconds_(seconds) { restart(); }

  bool is_on() const { return seconds_.has_value(); }
  bool is_paused() const { return paused_; }
  /// Nothing where it is off, or paused.
  std::optional<Clock::time_point> deadline() const;
  /// What was looked at for a while is looked at anew.
  void restart();
  void pause() { paused_ = true; }
  void pause_or_go_on();

  /// "auto 5 s, space pauses"; empty where it is off.
  std::string words() const;

 private:
  std::optional<double> seconds_;
  bool paused_ = false;
  Clock::time_point begun_;
};

}  // namespace attn::present
