#include "verify/explain/derive.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "verify/explain/align.hpp"
#include "verify/explain/compare.hpp"
#include "verify/explain/describe.hpp"
#include "verify/explain/evidence.hpp"
#include "verify/explain/notes.hpp"
#include "verify/explain/place.hpp"
#include "verify/explain/plain.hpp"
#include "verify/relate/arithmetic.hpp"
#include "verify/relate/relate.hpp"

namespace attn::verify {
namespace {

/// "line 44", "cell 12", and where a cell prints more than one tensor, "cell 12 line 3".
std::string source_words(std::span<const Printed> printed, std::size_t i) {
  const Place& place = printed[i].place;
  const std::string line = "line " + std::to_string(place.line);
  if (place.cell == 0) {
    return line;
  }
  const auto shares_cell = [&](std::size_t other) {
    return other < printed.size() && printed[other].place.cell == place.cell && !is_size(printed[other]);
  };
  return "cell " + std::to_string(place.cell) + (shares_cell(i - 1) || shares_cell(i + 1) ? " " + line : "");
}

/// Goes through a page from top to bottom.
class Deriver {
 public:
  Deriver(std::span<const Printed> printed, StepFinder& finder, std::vector<Choice>& chosen, const Given& given,
          Budget& budget)
      : printed_(printed), finder_(finder), chosen_(chosen), relater_(given.numbers), budget_(budget) {
    for (const Source& source : given.sources) {
      relater_.add(source);
    }
  }

  std::vector<Finding> run() {
    std::vector<Finding> findings;
    findings.reserve(printed_.size());
    seen_.resize(printed_.size());
    for (std::size_t i = 0; i < printed_.size(); ++i) {
      if (is_size(printed_[i])) {
        findings.emplace_back().printed = &printed_[i];
        continue;
      }
      std::optional<Grid> grid = grid_of(printed_[i]);
      is_property_ = false;
      findings.push_back(found(i, grid));
      Finding& finding = findings.back();
      add_slips(finding);
      const bool is_step = finding.verdict == Verdict::same || finding.verdict == Verdict::same_numbers;
      if (const Choice elsewhere = is_step ? std::nullopt : finder_.elsewhere(i)) {
        add_elsewhere(finding, finder_.known()[*elsewhere]);
      }
      budget_.take(memory_besides(finding));
      if (grid) {
        add_source(i, std::move(*grid), finding);
      }
    }
    return findings;
  }

 private:
  Finding found(std::size_t i, const std::optional<Grid>& grid) {
    const Candidates& candidates = finder_[i];
    if (chosen_[i] && candidates.hold()) {
      return describe_step(printed_[i], candidates, *chosen_[i], finder_.known());
    }
    if (const auto relation = grid ? relation_of(i, *grid) : std::nullopt) {
      chosen_[i].reset();
      return describe_relation(printed_[i], *relation);
    }
    if (chosen_[i]) {
      return describe_step(printed_[i], candidates, *chosen_[i], finder_.known());
    }
    if (auto finding = by_label_or_place(i)) {
      return *finding;
    }
    const std::optional<Relation> near = grid ? relater_.find_near_miss(*grid) : std::nullopt;
    if (near && is_accusation(*near, *grid)) {
      return describe_relation(printed_[i], *near);
    }
    if (near) {
      Finding unknown = describe_unknown(printed_[i], nearest(i), finder_.known());
      unknown.relation = near->words;
      unknown.differing_cells = static_cast<std::int64_t>(near->failing.size());
      return unknown;
    }
    if (const auto fit = grid ? relater_.find_with_unknown_weights(*grid) : std::nullopt) {
      return describe_relation(printed_[i], *fit);
    }
    if (const auto property = grid ? relater_.find_property(*grid) : std::nullopt) {
      is_property_ = true;
      return describe_relation(printed_[i], *property);
    }
    return describe_unknown(printed_[i], nearest(i), finder_.known());
  }

  std::optional<Relation> relation_of(std::size_t i, const Grid& grid) {
    if (const Seen& earlier = seen_[finder_.first_like(i)];
        earlier.next > 0 && is_excluded(chance_of_agreeing(printed_[i]), 1)) {
      Relation relation{Form::equal,
                        source_words(printed_, earlier.next - 1),
                        {earlier.next},
                        earlier.is_rooted,
                        0,
                        {},
                        {}};
      return relation;
    }
    auto relation = relater_.find(grid);
    return relation ? relation : sum_before(i, grid);
  }

  /// A single number that is labelled as the sum of the tensor just before it.
  std::optional<Relation> sum_before(std::size_t i, const Grid& grid) const {
    if (!grid.shape.empty() || i == 0 || plain_label(printed_[i].label).find("sum") == std::string::npos) {
      return std::nullopt;
    }
    std::optional<Grid> before = grid_of(printed_[i - 1]);
    if (!before || before->rank() != 1 || !meet(sums(*before, 0).cells[0], grid.cells[0])) {
      return std::nullopt;
    }
    return Relation{Form::operation,
                    source_words(printed_, i - 1) + ".sum()",
                    {i},
                    seen_[finder_.first_like(i - 1)].is_rooted,
                    0,
                    {},
                    {}};
  }

  /// The step that the tensor's label or its place says that it is, with what is wrong.
  std::optional<Finding> by_label_or_place(std::size_t i) {
    const Places places(printed_, chosen_, finder_.known());
    const Choice labelled = places.labelled(i);
    const Choice placed = places.placed(i);
    for (const Choice& step : {labelled, placed}) {
      if (!step || finder_.known()[*step].is_size || !finder_.known()[*step].explanation->allowed ||
          (step == placed && step != labelled && printed_[i].cells.size() < 2)) {
        continue;
      }
      const Numbers& numbers = finder_.known().numbers_of_step(*step);
      if (!same_kind(printed_[i], numbers)) {
        continue;
      }
      const std::optional<Fit> fit = fit_of(printed_[i], numbers);
      if (fit) {
        Candidates wrong;
        wrong.steps = {*step};
        wrong.fits.emplace(*step, *fit);
        chosen_[i] = step;
        return describe_step(printed_[i], wrong, *step, finder_.known());
      }
    }
    return std::nullopt;
  }

  /// How the tensor lies on a step that it should be, if only few cells do not hold.
  static std::optional<Fit> fit_of(const Printed& printed, const Numbers& numbers) {
    if (same_shape(printed, numbers.shape)) {
      const auto fit = fit_same_shape(printed, numbers, static_cast<std::int64_t>(printed.cells.size()));
      const bool few = fit->tally.differs + fit->tally.last_digit <= most_failing(printed);
      return few || fit->change.kind == Change::Kind::swapped ? fit : std::nullopt;
    }
    auto fit = fit_other_shape(printed, numbers);
    return fit && fit->tally.differs + fit->tally.last_digit <= most_failing(printed) ? fit : std::nullopt;
  }

  /// Whether a near miss tells which cells are wrong: not where a whole row or column fails, which a single wrong
  /// number of a source may do, nor where a mask that nobody printed may have hidden cells.
  static bool is_accusation(const Relation& relation, const Grid& grid) {
    const std::int64_t columns = grid.shape.empty() ? 1 : grid.shape.back();
    std::unordered_map<std::int64_t, std::int64_t> in_row;
    for (const std::int64_t cell : relation.failing) {
      const Interval& printed = grid.cells[static_cast<std::size_t>(cell)];
      if (columns > 1 && ++in_row[cell / columns] == columns) {
        return false;
      }
      if (relation.failing.size() > 1 && (printed.middle() == 0 || std::isinf(printed.low))) {
        return false;
      }
    }
    return true;
  }

  Choice nearest(std::size_t i) const {
    const Places places(printed_, chosen_, finder_.known());
    const Choice labelled = places.labelled(i);
    return labelled ? labelled : places.placed(i);
  }

  void add_source(std::size_t i, Grid grid, const Finding& finding) {
    const bool is_lesson = finding.verdict == Verdict::same || finding.verdict == Verdict::same_numbers;
    const bool rooted = is_lesson || (finding.verdict == Verdict::follows && finding.is_rooted);
    const bool sound = is_lesson || (finding.verdict == Verdict::follows && !is_property_);
    relater_.add({std::move(grid), source_words(printed_, i), i + 1, rooted, sound});
    seen_[finder_.first_like(i)] = {i + 1, rooted};
  }

  struct Seen {
    std::size_t next = 0;  ///< the place behind the last of them; 0 where none was seen
    bool is_rooted = false;
  };

  std::span<const Printed> printed_;
  StepFinder& finder_;
  std::vector<Choice>& chosen_;
  Relater relater_;
  bool is_property_ = false;  ///< what was found last is no derivation: some of its cells may be wrong all the same
  std::vector<Seen> seen_;    ///< of the tensors that are first with their cells
  Budget& budget_;
};

}  // namespace

std::vector<Finding> derive(std::span<const Printed> printed, StepFinder& finder, std::vector<Choice>& chosen,
                            const Given& given, Budget& budget) {
  return Deriver(printed, finder, chosen, given, budget).run();
}

}  // namespace attn::verify
