#include "torch/waypoints.hpp"

namespace attn::torch {

Generator Waypoints::after(std::uint64_t draws) {
  const std::scoped_lock lock(mutex_);
  while (marks_.size() <= draws / between) {
    marks_.push_back(marks_.back());
    marks_.back().discard(between);
    marks_.back().arrive();
  }
  Generator generator = marks_[draws / between];
  generator.discard(draws % between);
  return generator;
}

}  // namespace attn::torch
