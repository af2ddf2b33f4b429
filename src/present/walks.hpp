#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "present/presenter.hpp"
#include "walk/step_pairs.hpp"
#include "walk/walkthrough.hpp"
#include "walk/what_if.hpp"

namespace attn::present {

/// The presented walkthroughs: the chapter's, and the one with a rule changed.
class Walks {
 public:
  enum class View { as_is, changed, difference };

  /// Throws what the walk throws.
  explicit Walks(const Presentation& presentation);

  const Walkthrough& walk() const { return walk_; }
  /// The steps of the unchanged chapter, one for each place.
  const std::vector<Step>& steps() const { return steps_; }

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
  const std::vector<Step>& steps_in_view() const { return view_ == View::as_is ? steps_ : changed_; }

 private:
  const Presentation& presentation_;
  Walkthrough walk_;
  std::vector<Step> steps_;
  std::optional<std::vector<const WhatIf*>> what_ifs_;
  const WhatIf* rule_ = nullptr;
  View view_ = View::as_is;
  std::vector<Step> changed_;
  std::string sentence_;
  std::vector<StepPair> pairs_;      ///< pairs of the shown steps
  std::vector<StepPair> all_pairs_;  ///< pairs of all steps of the walkthrough
};

}  // namespace attn::present
