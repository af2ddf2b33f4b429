#pragma once

#include "present/presenter.hpp"
#include "present/screen.hpp"
#include "present/step_lines.hpp"
#include "walk/walkthrough.hpp"
#include "walk/what_if.hpp"

namespace attn::present {

/// The presented walkthroughs: the chapter's, and the one with a rule changed.
class Walks {
 public:
  /// Throws what the walk throws.
  explicit Walks(const Presentation& presentation);

  const Walkthrough& walk() const { return walk_; }
  /// The steps of the unchanged chapter, one for each place.
  const std::vector<Step>& steps() const { return steps_; }

  /// The rules that change something in the chapter.
  const std::vector<const WhatIf*>& what_ifs();
  /// Changes this rule and shows the result. If the change throws, nothing changes.
  void change(const WhatIf& rule);
  /// From the changed walkthrough to the original, and back.
  void toggle() { shows_changed_ = !shows_changed_; }
  bool shows_changed() const { return shows_changed_; }
  const WhatIf* rule() const { return rule_; }
  /// One sentence about the effect of the change.
  const std::string& sentence() const { return sentence_; }
  /// The step at a place with the rule changed; null if it is gone.
  const Step* changed(std::size_t at) const;
  /// The steps that only the changed walkthrough has, those before the step at a place.
  std::vector<const Step*> only_changed(std::size_t at) const;
  /// All steps of the walkthrough that is viewed.
  const std::vector<Step>& steps_in_view() const { return shows_changed_ ? changed_ : steps_; }

 private:
  const Presentation& presentation_;
  Walkthrough walk_;
  std::vector<Step> steps_;
  std::optional<std::vector<const WhatIf*>> what_ifs_;
  const WhatIf* rule_ = nullptr;
  bool shows_changed_ = false;
  std::vector<Step> changed_;
  std::string sentence_;
  std::vector<StepPair> pairs_;      ///< pairs of the shown steps
  std::vector<StepPair> all_pairs_;  ///< pairs of all steps of the walkthrough
};

/// The contents of the screen: the title, a step, the derivation of one of its cells, and the last line. It does not
/// know what keys do.
class Stage {
 public:
  Stage(const Presentation& presentation, const Walks& walks, Screen& screen);

  enum class Part { introduction, steps, ending };

  // Which step
  Part part() const { return part_; }
  std::size_t at() const { return at_; }
  /// The step whose cells are visible; null if there is none, or if the change removes it.
  const Step* step_in_view() const;
  void to(std::size_t at, Part part = Part::steps);

  // How it is seen
  void toggle_explaining();
  void toggle_heatmap();
  /// Composes everything again, for another size of the screen or other walks; the chosen cell stays.
  void refresh();

  // The chosen cell, and a derivation in the lower part
  bool has_cells() const { return !face_.cells.empty(); }
  std::optional<Shape> chosen() const { return chosen_ ? std::optional(face_.cells.index(*chosen_)) : std::nullopt; }
  /// Returns false if the cell is not shown.
  bool choose(const Shape& index);
  void choose_first() { chosen_.emplace(); }
  /// Returns true if the key moves the chosen cell, which goes only to shown neighbours.
  bool move(Key key);
  void show_derivation(std::string derivation);
  /// Leaves the chosen cell and its derivation.
  void leave_cell();

  /// Shows lines in place of the step until they are closed.
  void cover(Lines lines);
  bool is_covered() const { return cover_.has_value(); }
  void uncover() { cover_.reset(); }

  /// Returns true if the key scrolls.
  bool scroll(Key key);
  /// Scrolls down to unseen lines; false if there are none below.
  bool page_on();

  void draw(const std::string& last, std::optional<std::int64_t> cursor = {});
  /// "3-20 of 40 lines  " if not all lines are visible.
  std::string place() const { return cover_ ? cover_->place(room()) : page_.place(upper_rows()); }

 private:
  Face face() const;
  Lines below() const;
  std::string title() const;
  void see_cell();
  void keep_within();
  std::int64_t prose_columns() const;
  /// The rows between the title (first) and the last; the step's rows; the lower part's rows.
  std::int64_t room() const;
  std::int64_t upper_rows() const { return room() - lower_rows(); }
  std::int64_t lower_rows() const;

  const Presentation& presentation_;
  const Walks& walks_;
  Screen& screen_;
  Part part_ = Part::steps;
  std::size_t at_ = 0;
  bool explaining_;
  bool heatmap_;
  Face face_;
  std::optional<render::GridCell> chosen_;
  ScrolledLines page_;
  std::string derivation_;
  ScrolledLines lower_;
  std::optional<ScrolledLines> cover_;
};

}  // namespace attn::present
