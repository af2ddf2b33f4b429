#include "verify/port/layer_result.hpp"

#include <algorithm>
#include <string>

#include "tensor/operations.hpp"
#include "verify/port/axes.hpp"

namespace attn::verify {
namespace {

bool is_context(const Step& step) { return step.name.starts_with("context") || step.name == "joined_heads"; }

}  // namespace

LayerResult::LayerResult(std::span<const Step> steps, const std::vector<Item>& items, Right& right)
    : steps_(steps), items_(items), right_(right) {
  const auto projection = std::ranges::find(steps, std::string("out_proj_weight"), &Step::name);
  for (std::size_t i = 0; projection != steps.end() && !step_ && i < steps.size(); ++i) {
    const Tensor& tensor = *steps[i].tensor;
    if (tensor.kind() == Kind::linear && tensor.operands()[1].id() == projection->tensor->id()) {
      step_ = i;
    }
  }
}

bool LayerResult::has_name(const Item& item) const {
  return std::ranges::find(item.candidates, *step_) != item.candidates.end();
}

bool LayerResult::may_be(const Item& item) const {
  return has_name(item) && right_.has_layout(*item.theirs, *steps_[*step_].tensor);
}

bool LayerResult::is_open() const {
  return std::ranges::any_of(items_, [&](const Item& item) { return item.is_final && !item.matched && may_be(item); });
}

bool LayerResult::is_expected_at(const Item& item) const {
  const auto fits = [&](const Item& one) { return one.is_final && may_be(one); };
  return has_projection() && fits(item) &&
         std::ranges::none_of(items_, [&](const Item& other) { return other.given > item.given && fits(other); });
}

bool LayerResult::lacks_projection(const Item& item) const {
  const bool is_named_so = item.is_final && (has_context_beside(item) || (has_projection() && !item.is_also_context));
  return item.matched && is_context(*item.matched->step) && has_name(item) && (is_double(item) || is_named_so);
}

bool LayerResult::is_undecided(const Item& item) const {
  const bool is_vague =
      item.by == Matched::By::numbers || (!item.is_certain && !is_context(steps_[item.candidates[0]]));
  return item.matched && item.matched->is_right && is_context(*item.matched->step) && item.by >= Matched::By::habit &&
         (item.is_final || (is_vague && is_last(item))) && right_.has_layout(*item.theirs, *steps_[*step_].tensor);
}

bool LayerResult::is_twin(const Item& item, const Item& other) const {
  return &other != &item && other.matched &&
         right_.are_same(*item.theirs, *other.theirs, &*other.matched->step->tensor);
}

/// Returns true if another tensor of this shape has the same numbers, and they are right.
bool LayerResult::is_double(const Item& item) const {
  return std::ranges::any_of(
      items_, [&](const Item& other) { return other.matched && other.matched->is_right && is_twin(item, other); });
}

/// Whether all that comes after it in the dump are weights.
bool LayerResult::is_last(const Item& item) const {
  return std::ranges::none_of(items_, [&](const Item& other) {
    const Tensor* const tensor = other.matched ? &*other.matched->step->tensor : nullptr;
    return other.given > item.given && (tensor == nullptr || (tensor->dim() > 1 && !is_weight(*tensor)));
  });
}

bool LayerResult::has_projection() const {
  return std::ranges::any_of(
      items_, [](const Item& item) { return item.matched && item.matched->step->name.starts_with("out_proj"); });
}

/// Returns true if another tensor is the heads' contexts.
bool LayerResult::has_context_beside(const Item& item) const {
  return (item.is_certain || is_last(item)) && std::ranges::any_of(items_, [&](const Item& other) {
           return other.given < item.given && other.matched && !other.is_final && is_context(*other.matched->step) &&
                  other.matched->laid->cells.empty();
         });
}

}  // namespace attn::verify
