#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "verify/explain/fit.hpp"
#include "verify/explain/known.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// What one printed tensor may be.
struct Candidates {
  std::vector<std::size_t> steps;   ///< equally good
  std::map<std::size_t, Fit> fits;  ///< of steps; none where every cell holds
  bool is_evidence = false;         ///< that every cell holds is no chance

  bool hold() const { return !steps.empty() && fits.empty(); }
};

/// Finds the steps whose numbers a page's tensors have. Lessons are walked through wave by wave, and only those that
/// have tensors of the shapes that are still unexplained.
class StepFinder {
 public:
  StepFinder(std::span<const Printed> printed, std::span<const Explanation> explanations);

  Known& known() { return known_; }
  const Known& known() const { return known_; }
  /// For each printed thing; sizes have none. Equal tensors share theirs.
  const Candidates& operator[](std::size_t i) const { return distinct_[distinct_of_[i]].candidates; }
  Candidates& operator[](std::size_t i) { return distinct_[distinct_of_[i]].candidates; }
  /// Whether a tensor that has so many cells in question is still this step, and not by chance.
  bool is_near(std::size_t i, const Tally& tally) const;
  /// A step that is not allowed and has the tensor's numbers, if that is no chance.
  Choice elsewhere(std::size_t i) const;
  /// The first printed thing with the same cells.
  std::size_t first_like(std::size_t i) const { return distinct_[distinct_of_[i]].first; }

 private:
  /// Printed tensors with the same cells.
  struct Distinct {
    const Printed* printed = nullptr;
    std::size_t first = 0;
    double chance = 0;
    std::vector<std::size_t> numbers;  ///< that every cell agrees with
    std::size_t tried = 0;
    bool is_explained = false;
    Candidates candidates;
  };

  /// Whether a tensor's cells hold on numbers but for a few, `most` at most, and the rest is no chance.
  static bool is_near(const Tally& tally, const Distinct& one, std::int64_t most);
  void walk_waves(std::span<const Explanation> explanations);
  bool is_wanted(const Shape& shape) const;
  bool is_wanted(const Explanation& explanation) const;
  void hold_new();
  void hold(Distinct& one, std::span<const std::size_t> ids);
  void complete_lessons_in_use(std::span<const Explanation> explanations);
  void find_near(Distinct& one);

  Known known_;
  std::vector<Distinct> distinct_;
  std::vector<std::size_t> distinct_of_;
  std::map<Shape, std::vector<std::size_t>>
      by_shape_;  ///< distinct tensors; of those printed with "...", what is shown
  std::vector<std::size_t> with_gap_;
  std::map<Shape, std::size_t> unexplained_;  ///< how many of each shape give evidence and are not explained
  std::size_t held_ = 0;                      ///< how many of the known numbers were held against the page
  /// Looking for near misses is for pages of a usual size; this many pairs of tensors may be compared for it.
  std::int64_t patience_ = 3'000'000;
};

}  // namespace attn::verify
