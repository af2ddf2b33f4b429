#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "verify/explain/finding.hpp"
#include "verify/observed/agree.hpp"
#include "verify/page/printed.hpp"

namespace attn::verify {

/// A step of one explanation.
struct KnownStep {
  const Explanation* explanation = nullptr;
  const Step* step = nullptr;
  std::size_t place = 0;  ///< in its chapter
  std::string label;      ///< plain
  bool is_size = false;
};

/// The steps of lessons that may explain a page, and which of them each printed thing is.
class Steps {
 public:
  /// A step, by its place among the known ones, or a printed thing; empty if none is recognised.
  using Choice = std::optional<std::size_t>;
  /// The cost of taking a printed thing for a step; empty if it cannot be that one.
  using Cost = std::function<std::optional<int>(std::size_t)>;

  /// Chooses the steps that follow from one another best: of the same lesson and in program order; then with the page's
  /// label and grad_fn; then one that the article prints. `labels` are those of the printed things, plain.
  Steps(std::span<const Printed> printed, const std::vector<std::string>& labels,
        std::span<const Explanation> explanations);

  const KnownStep& operator[](std::size_t step) const { return steps_[step]; }
  /// The numbers of a printed tensor; none of a size or of rows that differ in length.
  std::optional<Observed> shown(std::size_t i) const { return shown_of(printed_[i]); }
  /// The step that a printed thing is.
  const Choice& chosen(std::size_t i) const { return chosen_[i]; }
  void choose(std::size_t i, Choice step) { chosen_[i] = step; }
  /// Returns true if it has the chosen step's numbers; else few cells are wrong.
  bool holds(std::size_t i) const { return chosen_[i] && candidates_[i].hold; }
  /// Returns true if the page shows the step's lesson: something computed from its draws.
  bool is_shown(std::size_t step) const;

  /// The step that fits best, of the lessons of what is recognised before and after or, if nothing is, of any.
  Choice beside(std::size_t i, const Cost& cost, bool or_anywhere = false) const;
  /// The one with the same label, and with the same shape if one has it.
  Choice labelled(std::size_t i) const;
  /// The only step that the article prints between those of what is printed just before, if anything is, and
  /// after.
  Choice placed(std::size_t i) const;

 private:
  /// The steps that a printed tensor may be.
  struct Candidates {
    std::vector<std::size_t> steps;  ///< equally good
    bool hold = false;               ///< every cell of theirs holds; else few cells are wrong
    bool is_evidence = false;        ///< coincidence is excluded
  };

  void find(const Observed& observed, Candidates& found);
  void find_near(const Observed& observed, std::span<const std::size_t> alike, Candidates& found);
  double first_number(const Observed& observed, std::size_t step);
  bool may_be(std::size_t i, std::size_t step) const;
  int own_cost(std::size_t i, std::size_t step) const;
  std::vector<std::size_t> few(std::size_t i) const;
  void choose_in_order();
  void choose_beside(std::size_t i);
  Choice recognised(std::size_t i, int direction) const;

  std::span<const Printed> printed_;
  std::span<const Explanation> explanations_;
  const std::vector<std::string>& labels_;
  std::vector<KnownStep> steps_;
  std::unordered_map<const Explanation*, std::size_t> first_;  ///< the place of its first step; the others follow
  std::map<Shape, std::vector<std::size_t>> by_shape_;
  std::unordered_map<std::size_t, double> first_numbers_;
  std::vector<Candidates> candidates_;
  std::set<const Explanation*> shown_lessons_;
  std::vector<Choice> chosen_;
  Bounds bounds_;
  std::int64_t patience_ = 300'000;  ///< pairs of tensors that the search for near misses may compare
};

/// The distance of a plain label from a step's: 0 (equal), 1 (one contains the other) or 2.
int label_distance(const std::string& label, const KnownStep& step);

}  // namespace attn::verify
