#include "verify/explain/derive.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tensor/operations.hpp"
#include "verify/bound/bounds.hpp"
#include "verify/explain/align.hpp"
#include "verify/explain/called.hpp"
#include "verify/explain/compare.hpp"
#include "verify/explain/describe.hpp"
#include "verify/explain/evidence.hpp"
#include "verify/explain/notes.hpp"
#include "verify/explain/place.hpp"
#include "verify/explain/plain.hpp"
#include "verify/program/listed.hpp"
#include "verify/propose/relate.hpp"

namespace attn::verify {
namespace {

/// Returns true for a tensor computed from nothing but constants that sizes determine: torch.arange(8), a base's
/// powers.
bool is_made_of_sizes(const Tensor& tensor) {
  const auto is_of_sizes = [](const Tensor& one) {
    const std::string words = one.expression();
    return one.operands().empty()
               ? words.starts_with("torch.arange(") || words.find(" for i in range(") != std::string::npos
               : is_made_of_sizes(one);
  };
  return !tensor.operands().empty() && std::ranges::all_of(tensor.operands(), is_of_sizes);
}

/// Processes a page from top to bottom.
class Deriver {
 public:
  Deriver(std::span<const Printed> printed, WrittenAt written, StepFinder& finder, std::vector<Choice>& chosen,
          const Given& given)
      : printed_(printed),
        finder_(finder),
        chosen_(chosen),
        relater_(given.numbers),
        listed_(
            given.written, [this](std::string_view name) { return relater_.named(name); },
            [this](std::size_t position) { return relater_.printed(position); }),
        written_(std::move(written)) {
    for (Source source : given.sources) {
      source.which = projection_of(source.words);
      relater_.add(std::move(source));
    }
  }

  std::vector<Finding> run() {
    findings_.reserve(printed_.size());
    seen_.resize(printed_.size());
    for (std::size_t i = 0; i < printed_.size(); ++i) {
      if (is_size(printed_[i])) {
        findings_.push_back(found_size(i));
        continue;
      }
      std::optional<Observed> observed = observed_of(printed_[i]);
      is_loose_ = false;
      is_listed_ = false;
      computed_.clear();
      exact_.clear();
      findings_.push_back(found(i, observed));
      Finding& finding = findings_.back();
      add_slips(finding);
      const bool is_step = finding.verdict == Verdict::same || finding.verdict == Verdict::same_numbers;
      if (const Choice elsewhere = is_step ? std::nullopt : finder_.elsewhere(i)) {
        add_elsewhere(finding, finder_.known()[*elsewhere]);
      }
      if (observed) {
        add_source(i, std::move(*observed), finding);
      }
    }
    return std::move(findings_);
  }

 private:
  Finding found(std::size_t i, const std::optional<Observed>& observed) {
    const Candidates& candidates = finder_[i];
    if (chosen_[i] && candidates.hold()) {
      return describe_step(printed_[i], candidates, *chosen_[i], finder_.known());
    }
    const auto relation = observed ? relation_of(i, *observed) : std::nullopt;
    const auto listed = observed && written_[i] ? listed_.tensor(*written_[i]) : std::nullopt;
    const bool is_contradicted = is_listing_right_ && listed && !is_listed_ && relater_.is_refuted(*observed, *listed);
    if (relation && !is_contradicted) {
      chosen_[i].reset();
      if (relation->is_rooted && relation->numbers.size() == observed->size()) {
        computed_ = relation->numbers;
        exact_ = relation->exact;
      }
      auto nearer = relation->is_wide ? listed_miss(i, *observed, listed) : std::nullopt;
      nearer = !nearer && relation->form >= Form::product && relation->is_wide ? relater_.find_nearer_miss(*observed)
                                                                               : nearer;
      return describe_relation(printed_[i], nearer && is_accusation(*nearer, *observed) ? *nearer : *relation);
    }
    if (chosen_[i] && is_the_articles(i, *chosen_[i])) {
      return describe_step(printed_[i], candidates, *chosen_[i], finder_.known());
    }
    if (auto finding = by_label_or_place(i)) {
      return *finding;
    }
    std::optional<Relation> near = observed ? listed_miss(i, *observed, listed) : std::nullopt;
    near = near || !observed || is_contradicted ? near : relater_.find_near_miss(*observed);
    if (near && is_accusation(*near, *observed)) {
      return describe_relation(printed_[i], *near);
    }
    if (near) {
      return missed(i, *near);
    }
    if (is_contradicted) {
      return contradicted(i, relation, *listed);
    }
    const bool is_inputs = role_of(label_of(i)) == Role::inputs;
    if (const auto fit = observed && !is_inputs ? relater_.find_with_unknown_weights(*observed) : std::nullopt) {
      if (const auto doubtful = relater_.find_doubtful_miss(*observed)) {
        return missed(i, *doubtful);
      }
      is_loose_ = true;
      fitted_.insert(i);
      return describe_relation(printed_[i], *fit);
    }
    if (const auto doubtful = observed && !fitted_.empty() ? relater_.find_doubtful_miss(*observed) : std::nullopt) {
      withdraw(doubtful->sources);
      return missed(i, *doubtful);
    }
    if (const auto property = observed ? relater_.find_property(*observed) : std::nullopt) {
      is_loose_ = true;
      return describe_relation(printed_[i], *property);
    }
    return describe_unknown(printed_[i], nearest(i), finder_.known());
  }

  /// The sizes of a tensor that the listing computes and prints the sizes of; else empty.
  Finding found_size(std::size_t i) const {
    Finding finding;
    finding.printed = &printed_[i];
    const std::string words = written_[i] ? listed_.written()[*written_[i]].text : "";
    if (!words.empty() && listed_.sizes(*written_[i]) == printed_[i].shape) {
      finding.verdict = Verdict::follows;
      finding.relation = words + ", as the listing computes it";
    }
    return finding;
  }

  /// What the listing computes there, if a few cells differ.
  std::optional<Relation> listed_miss(std::size_t i, const Observed& observed, const std::optional<Tensor>& listed) {
    return listed ? relater_.find_listed_miss(observed, *listed, called_at(*written_[i])) : std::nullopt;
  }

  /// The finding that something in the tensor or in its sources is wrong.
  Finding missed(std::size_t i, const Relation& near) const {
    Finding unknown = describe_unknown(printed_[i], nearest(i), finder_.known());
    unknown.relation = near.words;
    unknown.differing_cells = static_cast<std::int64_t>(near.failing.size());
    return unknown;
  }

  /// Whatever else it may be, the program on the page, which is right so far, makes something else there.
  Finding contradicted(std::size_t i, const std::optional<Relation>& relation, const Tensor& listed) const {
    constexpr std::size_t longest = 80;
    Finding unknown = describe_unknown(printed_[i], nearest(i), finder_.known());
    const std::string words = listed.expression();
    const Written& written = listed_.written()[*written_[i]];
    unknown.notes.push_back(
        (relation ? "these numbers are " + relation->words + ", but the" : "the") + std::string(" listing prints ") +
        written.value + (words.size() <= longest && words != written.value ? " there, which is " + words : " there"));
    return unknown;
  }

  /// Withdraws findings that rest on weights that the page does not print: such weights also explain a wrong digit,
  /// which a relation that nearly holds reveals.
  void withdraw(std::span<const std::size_t> positions) {
    for (const std::size_t position : positions) {
      if (fitted_.erase(position - 1) > 0) {
        findings_[position - 1] = describe_unknown(printed_[position - 1], nearest(position - 1), finder_.known());
      }
    }
  }

  /// Returns true if a tensor that nearly has a step's numbers should have them. Inputs are the page's own, unless the
  /// page computes something of the article's from them that holds.
  bool is_the_articles(std::size_t i, std::size_t step) const {
    const Known& known = finder_.known();
    const auto is_inputs = [&](std::size_t one) {
      return known[one].step->tensor->kind() == Kind::given && role_of(known[one].step->name) == Role::inputs;
    };
    for (std::size_t other = 0; is_inputs(step) && other < chosen_.size(); ++other) {
      if (other != i && chosen_[other] && !is_size(printed_[other]) && finder_[other].hold() &&
          known[*chosen_[other]].explanation->article == known[step].explanation->article &&
          !is_inputs(*chosen_[other])) {
        return true;
      }
    }
    return !is_inputs(step);
  }

  std::optional<Relation> relation_of(std::size_t i, const Observed& observed) {
    if (auto relation = written_[i] ? listed_at(i, observed) : std::nullopt) {
      is_listed_ = true;
      is_listing_right_ = is_listing_right_ || relation->is_rooted;
      return relation;
    }
    if (const Seen& earlier = seen_[finder_.first_like(i)];
        earlier.next > 0 && is_excluded(chance_of_agreeing(printed_[i]), 1)) {
      Relation relation;
      relation.words = called(printed_, earlier.next - 1);
      relation.sources = {earlier.next};
      relation.is_rooted = earlier.is_rooted;
      return relation;
    }
    auto relation = written_[i] ? std::nullopt : listed_at(i, observed);
    relation = relation ? relation : relater_.find(observed);
    return relation ? relation : sums_before(i, observed);
  }

  /// What the listing calls what it writes there.
  std::string_view called_at(std::size_t written) const {
    const Written& one = listed_.written()[written];
    const std::string_view name = one.name.starts_with("our_") ? std::string_view() : one.name;
    return one.text.empty() ? name : one.text;
  }

  /// The relation that the listing prints there, which needs less evidence, or, if that place is unknown, any relation
  /// that it may have printed.
  std::optional<Relation> listed_at(std::size_t i, const Observed& observed) {
    constexpr double printed_there = -6.5;  // what the program prints there need not say anything else
    constexpr std::size_t most_tried = 24;
    constexpr std::size_t most_looked_at = 200;
    const auto look = [&](std::size_t written, const std::optional<Tensor>& tensor, double known) {
      return tensor ? relater_.find_listed(observed, *tensor, known, called_at(written)) : std::nullopt;
    };
    if (written_[i]) {
      return look(*written_[i], listed_.tensor(*written_[i]), printed_there);
    }
    std::size_t tried = 0;
    std::size_t looked_at = 0;
    for (std::size_t k = listed_.written().size(); k-- > 0 && tried < most_tried && looked_at < most_looked_at;) {
      const Place& place = listed_.written()[k].place;
      const Place& here = printed_[i].place;
      if (place.cell != here.cell ? place.cell > here.cell : place.cell == 0 && place.line >= here.line) {
        continue;
      }
      ++looked_at;
      const auto tensor = listed_.tensor(k);
      if (!tensor || tensor->shape() != observed.shape) {
        continue;
      }
      const bool is_right_below = tried == 0 && place.cell == 0 && here.line == place.line + 1;
      ++tried;
      const double known = is_right_below ? printed_there : std::log10(static_cast<double>(tried));
      if (auto relation = look(k, tensor, known)) {
        written_[i] = k;
        return relation;
      }
    }
    return std::nullopt;
  }

  /// For a tensor labelled as sums: the sums of the tensor just before it. A single number, or ones, are otherwise no
  /// evidence.
  std::optional<Relation> sums_before(std::size_t i, const Observed& target) const {
    const auto before = i > 0 && plain_label(label_of(i)).find("sum") != std::string::npos
                            ? observed_of(printed_[i - 1])
                            : std::nullopt;
    if (!before) {
      return std::nullopt;
    }
    const Tensor parts = leaf_of(*before, called(printed_, i - 1));
    Bounds bounds;
    bounds.observe(parts, before->cells());
    for (std::int64_t dim = -1; dim >= -parts.dim(); --dim) {
      const Tensor total = sum(parts, target.rank() == before->rank(), dim);
      std::int64_t next = 0;
      if (total.shape() == target.shape && std::ranges::all_of(target.cells(), [&](const Interval& cell) {
            return meet(cell, bounds.cell(total, next++));
          })) {
        Relation relation;
        relation.form = Form::operation;
        relation.words = total.expression();
        relation.sources = {i};
        relation.is_rooted = seen_[finder_.first_like(i - 1)].is_rooted;
        return relation;
      }
    }
    return std::nullopt;
  }

  /// The step that the tensor's label or place indicates, with what is wrong.
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
      if (fit && is_the_articles(i, *step) && is_accusable(i, *step, *fit)) {
        Candidates wrong;
        wrong.steps = {*step};
        wrong.fits.emplace(*step, *fit);
        chosen_[i] = step;
        return describe_step(printed_[i], wrong, *step, finder_.known());
      }
    }
    return std::nullopt;
  }

  /// Returns true if cells that do not hold are wrong. If nothing holds, only a tensor that a shown program prints at
  /// this place is. A step made of sizes alone, such as rotary's angles, has the same rows in any lesson: of another
  /// shape, it is wrong only beside others of its lesson.
  bool is_accusable(std::size_t i, std::size_t step, const Fit& fit) const {
    const Known& known = finder_.known();
    bool is_shown = false;
    for (std::size_t other = 0; other < chosen_.size(); ++other) {
      is_shown = is_shown || (other != i && chosen_[other] && !is_size(printed_[other]) &&
                              known[*chosen_[other]].explanation == known[step].explanation);
    }
    const bool has_changed = fit.change.kind != Change::Kind::none;
    if (has_changed && !is_shown && is_made_of_sizes(*known[step].step->tensor)) {
      return false;
    }
    return fit.tally.differs < std::ssize(printed_[i].cells)
               ? fit.tally != Tally{} || has_changed
               : is_shown && Places(printed_, chosen_, known).placed(i) == Choice(step);
  }

  /// The fit to the step that the tensor should be, if only a few cells do not hold.
  static std::optional<Fit> fit_of(const Printed& printed, const Numbers& numbers) {
    if (same_shape(printed, numbers.shape)) {
      const auto fit = fit_same_shape(printed, numbers, static_cast<std::int64_t>(printed.cells.size()));
      return fit->tally.differs + fit->tally.last_digit <= most_failing(printed) ? fit : std::nullopt;
    }
    auto fit = fit_other_shape(printed, numbers);
    return fit && fit->tally.differs + fit->tally.last_digit <= most_failing(printed) ? fit : std::nullopt;
  }

  /// Returns true if a near miss shows which cells are wrong: not if a whole row or column fails, since a single wrong
  /// number of a source may cause that, and not if an unprinted mask may have hidden cells.
  static bool is_accusation(const Relation& relation, const Observed& observed) {
    const std::int64_t columns = observed.shape.empty() ? 1 : observed.shape.back();
    std::unordered_map<std::int64_t, std::int64_t> in_row;
    for (const std::int64_t cell : relation.failing) {
      const Interval printed = observed.cell(at(cell));
      if (columns > 1 && ++in_row[cell / columns] == columns) {
        return false;
      }
      if (relation.failing.size() > 1 && (printed.middle() == 0 || std::isinf(printed.low))) {
        return false;
      }
    }
    return true;
  }

  /// The words before it, or else the expression that prints it.
  std::string_view label_of(std::size_t i) const {
    const bool is_written = printed_[i].label.empty() && written_[i];
    return is_written ? std::string_view(listed_.written()[*written_[i]].value) : printed_[i].label;
  }

  Choice nearest(std::size_t i) const {
    const Places places(printed_, chosen_, finder_.known());
    const Choice labelled = places.labelled(i);
    return labelled ? labelled : places.placed(i);
  }

  void add_source(std::size_t i, Observed observed, const Finding& finding) {
    const bool is_lesson = finding.verdict == Verdict::same || finding.verdict == Verdict::same_numbers;
    const bool rooted = is_lesson || (finding.verdict == Verdict::follows && finding.is_rooted);
    const bool sound = is_lesson || (finding.verdict == Verdict::follows && !is_loose_);
    const bool may_be_inputs = role_of(label_of(i)) != Role::made;
    Source source{std::move(observed), called(printed_, i), i + 1, rooted, sound, may_be_inputs};
    source.which = projection_of(label_of(i));
    source.computed = std::move(computed_);
    source.exact = std::move(exact_);
    relater_.add(std::move(source));
    if (written_[i] && finding.verdict != Verdict::differs) {
      listed_.bind(*written_[i], i + 1);
    }
    seen_[finder_.first_like(i)] = {i + 1, rooted};
  }

  struct Seen {
    std::size_t next = 0;  ///< the place after the last of them; 0 if none was seen
    bool is_rooted = false;
  };

  std::span<const Printed> printed_;
  StepFinder& finder_;
  std::vector<Choice>& chosen_;
  Relater relater_;
  Listed listed_;
  WrittenAt written_;  ///< the listing's expression for each printed thing
  std::vector<Finding> findings_;
  std::set<std::size_t> fitted_;    ///< places of tensors explained through unprinted weights
  std::vector<Interval> computed_;  ///< what the relation found last says the cells are; empty if it is not rooted
  std::vector<double> exact_;       ///< the same without rounding, where that is known
  bool is_listing_right_ = false;  ///< an earlier tensor, which goes back to a known step, is what the listing computes
  bool is_listed_ = false;         ///< the relation found last is what the listing prints there
  bool is_loose_ = false;          ///< the relation found last is loose: some cells may still be wrong
  std::vector<Seen> seen_;         ///< tensors, each the first with its cells
};

}  // namespace

std::vector<Finding> derive(std::span<const Printed> printed, const WrittenAt& written, StepFinder& finder,
                            std::vector<Choice>& chosen, const Given& given) {
  return Deriver(printed, written, finder, chosen, given).run();
}

}  // namespace attn::verify
