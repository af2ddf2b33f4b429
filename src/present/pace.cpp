#include "present/pace.hpp"

#include "text/numbers.hpp"

namespace attn::present {

std::optional<Pace::Clock::time_point> Pace::deadline() const {
  if (!seconds_ || paused_) {
    return std::nullopt;
  }
  return begun_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds_));
}

void Pace::restart() { begun_ = Clock::now(); }

void Pace::pause_or_go_on() {
  paused_ = !paused_;
  restart();
}

std::string Pace::words() const {
  if (!seconds_) {
    return "";
  }
  return paused_ ? "auto paused, space resumes" : "auto " + text::shortest_text(*seconds_) + " s, space pauses";
}

}  // namespace attn::present
