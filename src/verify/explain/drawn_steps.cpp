#include "verify/explain/drawn_steps.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>

#include "tensor/operations.hpp"
#include "text/lines.hpp"
#include "verify/explain/called.hpp"
#include "verify/explain/numbers.hpp"
#include "verify/explain/plain.hpp"

namespace attn::verify {
namespace {

/// Returns true if a leaf was drawn, by the program or by the article's program, which lists its weights.
bool is_draw(const Tensor& tensor) {
  return tensor.kind() == Kind::uniform || tensor.kind() == Kind::normal ||
         (tensor.kind() == Kind::given && tensor.name().starts_with("W_"));
}

/// Returns true if the tensor has a draw's numbers, in any order.
bool is_bare(const Tensor& tensor) {
  switch (tensor.kind()) {
    case Kind::parameter:
    case Kind::transpose:
    case Kind::view:
    case Kind::contiguous: return is_bare(tensor.operands()[0]);
    default: return is_draw(tensor);
  }
}

/// Returns true if the label contains the step's name or label.
bool names(const std::string& label, const KnownStep& step) {
  return label.find(text::lower(step.step->name)) != std::string::npos ||
         (!step.label.empty() && label.find(step.label) != std::string::npos);
}

}  // namespace

DrawnSteps::DrawnSteps(std::span<const Printed> printed, const StepFinder& finder) : finder_(finder) {
  std::map<const Explanation*, Draws> made_of;
  const auto add = [this](const Explanation* explanation) {
    if (std::ranges::find(shown_, explanation) == shown_.end()) {
      shown_.push_back(explanation);
    }
  };
  for (std::size_t i = 0; i < printed.size(); ++i) {
    if (finder.first_like(i) != i || !finder[i].is_evidence || !finder[i].hold()) {
      continue;
    }
    for (const std::size_t step : finder[i].steps) {
      const KnownStep& known = finder.known()[step];
      if (const char which = projection_of(printed[i].label); which != 0 && which == projection_of(known.step->name)) {
        telling_.emplace_back(&known, which);
      }
      if (!known.step->tensor || is_bare(*known.step->tensor)) {
        continue;
      }
      Draws& draws = made_of[known.explanation];
      draws.insert(draws_of(step).begin(), draws_of(step).end());
      if (draws_of(step).size() > 1) {
        telling_.emplace_back(&known, 'j');
      }
      if (draws.size() > 1 || (draws.size() == 1 && known.explanation->wave == 0)) {
        add(known.explanation);
      }
    }
  }
}

const DrawnSteps::Draws& DrawnSteps::draws_of(std::size_t step) const {
  const auto [entry, is_new] = draws_.try_emplace(step);
  const std::optional<Tensor>& tensor = finder_.known()[step].step->tensor;
  if (is_new && tensor) {
    std::unordered_set<const void*> seen;
    Draws& draws = entry->second;
    for_each_source(*tensor, seen, [&draws](const Tensor& source) {
      if (is_draw(source) && element_count(source.shape()) > 0) {
        draws.insert(numbers_of(source).values.front());
      }
    });
  }
  return entry->second;
}

bool DrawnSteps::is_in_order(const KnownStep& step) const {
  const auto shows = [&](char which) {
    return std::ranges::any_of(telling_, [&](const auto& one) {
      return one.second == which && one.first->step->section == step.step->section &&
             is_same_lesson(*one.first->explanation, *step.explanation);
    });
  };
  return shows('j') || (shows('q') && shows('k'));
}

bool DrawnSteps::may_explain(const Printed& printed, std::size_t step) const {
  const KnownStep& known = finder_.known()[step];
  const char labelled = projection_of(printed.label);
  const char named = projection_of(known.step->name);
  if (labelled != 0 && named != 0 && labelled != named && !is_in_order(known)) {
    return false;
  }
  const bool is_one_draw =
      known.step->tensor && draws_of(step).size() == 1 && (known.explanation->wave > 0 || is_bare(*known.step->tensor));
  return !is_one_draw || names(plain_label(printed.label), known) ||
         std::ranges::any_of(shown_, [&](const Explanation* one) { return is_same_lesson(*one, *known.explanation); });
}

}  // namespace attn::verify
