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

/// The steps that a printed tensor may be.
struct Candidates {
  std::vector<std::size_t> steps;   ///< equally good
  std::map<std::size_t, Fit> fits;  ///< fits of near steps; empty if every cell holds
  bool is_evidence = false;         ///< coincidence is excluded for a match of all cells

  bool hold() const { return !steps.empty() && fits.empty(); }
};

/// Finds the steps whose numbers match a page's tensors. Walks through lessons wave by wave, and only through those
/// that have tensors of still unexplained shapes.
class StepFinder {
 public:
  StepFinder(std::span<const Printed> printed, std::span<const Explanation> explanations);

  Known& known() { return known_; }
  const Known& known() const { return known_; }
  /// The candidates of each printed thing; sizes have none. Equal tensors share theirs.
  const Candidates& operator[](std::size_t i) const { return distinct_[distinct_of_[i]].candidates; }
  Candidates& operator[](std::size_t i) { return distinct_[distinct_of_[i]].candidates; }
  /// Returns true if a tensor with this many cells in question is still this step, and not by coincidence.
  bool is_near(std::size_t i, const Tally& tally) const;
  /// A step that is not allowed and matches the tensor's numbers, if coincidence is excluded.
  Choice elsewhere(std::size_t i) const;
  /// The first printed thing with the same cells.
  std::size_t first_like(std::size_t i) const { return distinct_[distinct_of_[i]].first; }

 private:
  /// Printed tensors with the same cells.
  struct Distinct {
    const Printed* printed = nullptr;
    std::size_t first = 0;
    double chance = 0;
    std::vector<std::size_t> numbers;  ///< numbers that every cell agrees with
    std::size_t tried = 0;
    bool is_explained = false;
    Candidates candidates;
  };

  /// Returns true if at most `most` of a tensor's cells fail and coincidence is excluded for the rest.
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
      by_shape_;  ///< distinct tensors; of those printed with "...", the shown part
  std::vector<std::size_t> with_gap_;
  std::map<Shape, std::size_t> unexplained_;  ///< number of unexplained tensors of each shape that give evidence
  std::size_t held_ = 0;                      ///< number of known numbers already compared with the page
  /// The search for near misses is meant for pages of usual size: the most pairs of tensors that it may compare.
  std::int64_t patience_ = 3'000'000;
};

}  // namespace attn::verify
