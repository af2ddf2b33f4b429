#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "verify/explain/explanation.hpp"
#include "verify/explain/numbers.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// A step of one explanation.
struct KnownStep {
  const Explanation* explanation = nullptr;
  const Step* step = nullptr;
  std::size_t place = 0;               ///< place in its chapter
  std::optional<std::size_t> numbers;  ///< the tensor's numbers, in Known; steps with equal numbers share them
  std::string_view label;              ///< plain; Known holds it
  bool is_size = false;
};

/// A step, by its place in Known; empty if none is recognised.
using Choice = std::optional<std::size_t>;

/// The steps that a page's tensors are compared with, and their numbers without duplicates.
class Known {
 public:
  using Wanted = std::function<bool(const Shape&)>;

  /// Adds an explanation's steps or, if they were added before, the numbers wanted now.
  void add(const Explanation& explanation, const Wanted& wanted);

  const std::vector<KnownStep>& steps() const { return steps_; }
  const KnownStep& operator[](std::size_t i) const { return steps_[i]; }
  /// The steps of one explanation, in the chapter's order: a range of places.
  std::size_t first_of(const Explanation& explanation) const { return first_.at(&explanation); }
  std::size_t count_of(const Explanation& explanation) const { return explanation.steps.get().size(); }
  bool has(const Explanation& explanation) const { return first_.contains(&explanation); }
  /// The steps with this plain label or name, ascending.
  std::span<const std::size_t> called(std::string_view name) const;

  const Numbers& numbers(std::size_t id) const { return numbers_[id]; }
  /// The numbers of a step that is a tensor, whether wanted or not.
  const Numbers& numbers_of_step(std::size_t i);
  std::size_t numbers_count() const { return numbers_.size(); }
  /// The steps that have these numbers.
  const std::vector<std::size_t>& having(std::size_t numbers) const { return by_numbers_[numbers]; }
  /// The numbers with the printed tensor's shape and kind.
  std::vector<std::size_t> alike(const Printed& printed) const;
  /// The tool's output for the step, in plain layout.
  const std::string& layout(std::size_t i);

 private:
  std::size_t add_numbers(Numbers numbers);
  std::string_view plain(const std::string& label);
  void call(std::string_view name, std::size_t step);

  std::vector<KnownStep> steps_;
  std::unordered_map<const Explanation*, std::size_t> first_;
  std::deque<Numbers> numbers_;
  std::vector<std::vector<std::size_t>> by_numbers_;
  std::unordered_map<std::string, std::size_t> by_content_;
  std::map<Shape, std::vector<std::size_t>> by_shape_;
  std::unordered_map<std::size_t, std::string> layouts_;
  std::unordered_map<std::string, std::string> plain_labels_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name_;
};

/// The distance of a printed label from a step's: 0 (equal), 1 (one contains the other) or 2.
int label_distance(const std::string& plain_printed, const KnownStep& step);

}  // namespace attn::verify
