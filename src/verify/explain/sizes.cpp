#include "verify/explain/sizes.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "verify/explain/choose.hpp"
#include "verify/explain/place.hpp"
#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

/// The largest distance between a size and the tensor that explains it.
constexpr std::size_t most_apart = 20;

/// "line 44", "cell 12 line 3"
std::string place_words(const Place& place) {
  const std::string cell = place.cell == 0 ? "" : "cell " + std::to_string(place.number) + " ";
  return cell + "line " + std::to_string(place.line);
}

std::string number_text(const Printed& printed, std::size_t axis) {
  return axis < printed.cells.size() ? std::string(printed.cells[axis].text) : std::to_string(printed.shape[axis]);
}

void list_differing_axes(Finding& finding) {
  const Shape& page = finding.printed->shape;
  const Shape& step = finding.step->tensor->shape();
  for (std::size_t axis = 0; axis < std::max(page.size(), step.size()); ++axis) {
    if (axis < page.size() && axis < step.size() && page[axis] == step[axis]) {
      continue;
    }
    ++finding.differing_cells;
    if (finding.differences.size() == most_listed) {
      continue;
    }
    finding.differences.push_back({{static_cast<std::int64_t>(axis)},
                                   axis < page.size() ? number_text(*finding.printed, axis) : "",
                                   axis < step.size() ? std::to_string(step[axis]) : "",
                                   axis < step.size() ? static_cast<double>(step[axis]) : 0});
  }
}

/// Processes a page's sizes.
class Sizes {
 public:
  Sizes(std::span<const Printed> printed, std::span<Finding> findings, std::vector<Choice>& chosen, const Known& known)
      : printed_(printed), findings_(findings), chosen_(chosen), known_(known), run_end_(printed.size()) {
    for (std::size_t i = printed.size(); i-- > 0;) {
      run_end_[i] = !is_size(printed[i]) ? i : i + 1 < printed.size() ? run_end_[i + 1] : i + 1;
    }
  }

  void run() {
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (!is_size(printed_[i])) {
        run_begin_ = i + 1;
      } else {
        settle(i);
      }
    }
  }

 private:
  void settle(std::size_t i) {
    const Choice same = nearest_of_size(i);
    const Choice labelled = Places(printed_, chosen_, known_).labelled(i);
    Finding& finding = findings_[i];
    const bool is_accused =
        labelled && known_[*labelled].step->tensor->shape() != printed_[i].shape && adjoins(i, *labelled);
    if (is_accused) {
      take(i, *labelled, Verdict::differs);
      list_differing_axes(finding);
    } else if (same && !is_of_other(finding, *same)) {
      take(i, *same, Verdict::same);
    } else if (const auto tensor = finding.verdict == Verdict::unknown ? tensor_of_size(i) : std::nullopt) {
      finding.verdict = Verdict::follows;
      finding.sources = {*tensor};
      finding.relation = place_words(printed_[*tensor].place) + ".shape";
    }
  }

  /// Returns true if the listing computes that size, and of a variable that is not called like the step.
  bool is_of_other(const Finding& finding, std::size_t step) const {
    const std::string variable = finding.relation.substr(0, finding.relation.find('.'));
    return finding.verdict == Verdict::follows && label_distance(plain_label(variable), known_[step]) == 2;
  }

  void take(std::size_t i, std::size_t step, Verdict verdict) {
    findings_[i].verdict = verdict;
    findings_[i].step = known_[step].step;
    findings_[i].explanation = known_[step].explanation;
    chosen_[i] = step;
  }

  /// Returns true if the tensors right before and after the size, if any, belong to the step's chapter.
  bool adjoins(std::size_t i, std::size_t step) const {
    const auto is_foreign = [&](std::size_t other) {
      return !chosen_[other] || known_[*chosen_[other]].explanation != known_[step].explanation;
    };
    const std::size_t before = run_begin_;
    const std::size_t after = run_end_[i];
    const bool has_before = before > 0;
    const bool has_after = after < printed_.size();
    return (has_before && !is_foreign(before - 1)) || (!has_before && has_after && !is_foreign(after));
  }

  /// The step of this size, from a lesson on the page, that fits best in label and order.
  Choice nearest_of_size(std::size_t i) const {
    const std::string label = plain_label(printed_[i].label);
    Choice before;
    Choice after;
    for (std::size_t apart = 1; apart <= most_apart; ++apart) {
      before = before || apart > i ? before : chosen_[i - apart];
      after = after || i + apart >= chosen_.size() ? after : chosen_[i + apart];
    }
    Choice best;
    int least = std::numeric_limits<int>::max();
    for (const Choice& neighbour : {before, after}) {
      if (!neighbour) {
        continue;
      }
      const Explanation& explanation = *known_[*neighbour].explanation;
      const std::size_t first = known_.first_of(explanation);
      for (std::size_t step = first; step < first + known_.count_of(explanation); ++step) {
        const KnownStep& here = known_[step];
        if (!here.step->tensor || here.step->tensor->shape() != printed_[i].shape) {
          continue;
        }
        const int order = before ? order_distance(known_[*before], here) : 0;
        const int cost = (here.is_size ? 0 : 6) + 2 * label_distance(label, here) + order;
        if (cost < least) {
          least = cost;
          best = step;
        }
      }
    }
    return best;
  }

  /// A printed tensor with this size: the nearest above, else the next in the same cell's output.
  std::optional<std::size_t> tensor_of_size(std::size_t i) const {
    const auto has_size = [&](std::size_t other) {
      return !is_size(printed_[other]) && !has_gap(printed_[other]) && printed_[other].shape == printed_[i].shape;
    };
    for (std::size_t apart = 1; apart <= most_apart; ++apart) {
      if (apart <= i && has_size(i - apart)) {
        return i - apart;
      }
    }
    const std::size_t next = run_end_[i];
    const bool is_near = next < printed_.size() && printed_[next].place.cell == printed_[i].place.cell;
    return is_near && has_size(next) ? std::optional(next) : std::nullopt;
  }

  std::span<const Printed> printed_;
  std::span<Finding> findings_;
  std::vector<Choice>& chosen_;
  const Known& known_;
  std::vector<std::size_t> run_end_;  ///< for each, the first following thing that is not a size
  std::size_t run_begin_ = 0;         ///< beginning of the current run of sizes
};

}  // namespace

void match_sizes(std::span<const Printed> printed, std::span<Finding> findings, std::vector<Choice>& chosen,
                 const Known& known) {
  Sizes(printed, findings, chosen, known).run();
}

}  // namespace attn::verify
