#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verify/explain/explanation.hpp"
#include "verify/explain/pool.hpp"

namespace attn::verify {

/// A step of one explanation.
struct KnownStep {
  const Step* step = nullptr;
  std::size_t chapter = 0;  ///< its place in the explanation
  std::size_t numbers = 0;  ///< of the tensor, in Pool; steps with equal numbers share them
  std::string label;        ///< plain
  bool is_size = false;
};

/// The steps of one explanation, in order.
class KnownSteps {
 public:
  KnownSteps(const Explanation& explanation, Pool& pool);

  const Explanation& explanation() const { return *explanation_; }
  const std::vector<KnownStep>& steps() const { return steps_; }
  const KnownStep& operator[](std::size_t i) const { return steps_[i]; }
  const std::string& chapter(std::size_t i) const { return explanation_->chapters[steps_[i].chapter].chapter; }
  /// The tensors that have these numbers; empty where there are none.
  const std::vector<std::size_t>& having(std::size_t numbers) const;
  bool has(std::size_t numbers) const { return !having(numbers).empty(); }
  /// The steps, tensors as well, of this size.
  const std::vector<std::size_t>& of_size(const Shape& shape) const;
  /// What the tool prints for the step, in plain layout.
  const std::string& layout(std::size_t i);

 private:
  const Explanation* explanation_;
  std::vector<KnownStep> steps_;
  std::vector<std::vector<std::size_t>> by_numbers_;
  std::map<Shape, std::vector<std::size_t>> by_size_;
  std::vector<std::optional<std::string>> layouts_;
};

/// A step, by its place in KnownSteps; none where nothing is recognised.
using Choice = std::optional<std::size_t>;

/// How badly a printed label fits a step's: 0 (the same), 1 (one is within the other) or 2.
int label_distance(const std::string& plain_printed, const KnownStep& step);

/// What it costs to believe that a page shows `next` after `previous`: it mostly follows the program.
int order_distance(const KnownSteps& known, std::size_t previous, std::size_t next);

}  // namespace attn::verify
