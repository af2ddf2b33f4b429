#include "walk/idle.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"
#include "walk/rotation.hpp"

namespace attn {
namespace {

/// Returns true if there are tensors of this kind, and the fact holds for all of them.
bool all_such(std::span<const Step> steps, bool (*of)(const Tensor&), bool (*fact)(const Tensor&)) {
  bool any = false;
  for (const Step& step : steps) {
    if (step.tensor && of(*step.tensor)) {
      any = true;
      if (!fact(*step.tensor)) {
        return false;
      }
    }
  }
  return any;
}

}  // namespace

std::string sentence_of(const Reason& reason, std::span<const Step> steps) {
  if (reason.own != nullptr) {
    return reason.own(steps);
  }
  return reason.of != nullptr && all_such(steps, reason.of, reason.fact) ? std::string(reason.words) : "";
}

std::string same_maximum_is_idle(std::span<const Step> steps) {
  const auto is_factor = [](const Tensor& tensor) {  // exp(row_max - new_row_max)
    return tensor.kind() == Kind::exp && tensor.operands()[0].kind() == Kind::subtracted &&
           tensor.operands()[0].operands()[0].kind() != Kind::scaled;
  };
  const auto is_one = [](const Tensor& tensor) {
    const auto contents = tensor.array().contents();
    return std::ranges::all_of(std::get<Block<float>>(*contents), [](float factor) { return factor == 1; });
  };
  return std::ranges::none_of(steps, [&](const Step& step) { return step.tensor && is_factor(*step.tensor); })
             ? "a single block has none before it"
         : all_such(steps, is_factor, is_one) ? "the first block has the largest score of every row"
                                              : "";
}

std::string no_rotated_values_is_idle(std::span<const Step> steps) {
  const auto rotated =
      std::ranges::find_if(steps, [](const Step& step) { return step.tensor && rotation_of(*step.tensor); });
  const auto contexts =
      std::ranges::find_if(steps, [](const Step& step) { return step.tensor && weighs_values(*step.tensor); });
  if (rotated == steps.end() || contexts == steps.end()) {
    return "";
  }
  const Tensor& values = contexts->tensor->operands()[1];
  return values.size(-1) != rotated->tensor->size(-1)
             ? "only values as long as keys can be rotated like them; try --d-out 4"
         : values.size(-2) == 1 ? "the only token is at position 0, where nothing turns; try --tokens 6"
                                : "";
}

std::string other_length_is_idle(std::span<const Step> steps) {
  const auto other = std::ranges::find_if(steps, [](const Step& step) {
    return step.tensor && projects_inputs(*step.tensor) && step.tensor->size(-1) != step.tensor->operands()[0].size(-1);
  });
  return other == steps.end()
             ? ""
             : "only to queries, keys and values as long as the inputs can positions be added; try --d-out " +
                   std::to_string(other->tensor->operands()[0].size(-1));
}

}  // namespace attn
