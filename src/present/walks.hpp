#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "present/presenter.hpp"
#include "torch/seed.hpp"
#include "walk/step_pairs.hpp"
#include "walk/walkthrough.hpp"
#include "walk/what_if.hpp"

namespace attn::present {

/// The presented walkthroughs: the chapter's with a seed, with the previous seed, and with one rule changed.
class Walks {
 public:
  enum class View { as_is, changed, difference };

  /// Throws what the walk throws.
  explicit Walks(const Presentation& presentation);

  torch::Seed seed() const { return seed_; }
  const Walkthrough& walk() const { return walk_; }
  /// The steps of the unchanged chapter, one for each place.
  const std::vector<Step>& steps() const { return steps_; }
  /// The walk with the previous seed; null if there was none.
  const Step* before(std::size_t at) const;
  /// Switches to another seed, with the same rule changed. If a walk throws, nothing changes.
  void take_seed(torch::Seed seed);

  // With one rule changed
  /// The rules that change something in the chapter.
  const std::vector<const WhatIf*>& what_ifs();
  /// Changes this rule and shows the result. If the change throws, nothing changes.
  void change(const WhatIf& rule);
  /// Cycles: original, changed, difference.
  void next_view();
  View view() const { return view_; }
  const WhatIf* rule() const { return rule_; }
  /// One sentence about the effect of the change.
  const std::string& sentence() const { return sentence_; }
  /// The step at a place with the rule changed; null if it is gone.
  const Step* changed(std::size_t at) const;
  /// The steps that only the changed walkthrough has, those before the step at a place.
  std::vector<const Step*> only_changed(std::size_t at) const;

  /// All steps of the walkthrough that is viewed.
  const std::vector<Step>& steps_in_view() const;

 private:
  struct Change {
    std::vector<Step> steps;
    std::string sentence;
  };

  Change changed_walk(const Walkthrough& as_is, torch::Seed seed, const WhatIf& rule) const;
  void take_change(Change change);

  const Presentation& presentation_;
  torch::Seed seed_;
  Walkthrough walk_;
  std::vector<Step> steps_;
  std::vector<Step> before_;
  std::optional<std::vector<const WhatIf*>> what_ifs_;
  const WhatIf* rule_ = nullptr;
  View view_ = View::as_is;
  std::vector<Step> changed_;
  std::string sentence_;
  std::vector<StepPair> pairs_;      ///< pairs of the shown steps
  std::vector<StepPair> all_pairs_;  ///< pairs of all steps of the walkthrough
};

}  // namespace attn::present
