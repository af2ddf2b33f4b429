#include "walk/idle.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "tensor/operations.hpp"
#include "walk/rotation.hpp"

namespace attn {
namespace {

/// Returns true if `is_such` selects at least one tensor, and the fact holds for all of them.
template <class IsSuch, class Has>
bool all_such(std::span<const Step> steps, IsSuch is_such, Has has) {
  bool any = false;
  for (const Step& step : steps) {
    if (step.tensor && is_such(*step.tensor)) {
      any = true;
      if (!has(*step.tensor)) {
        return false;
      }
    }
  }
  return any;
}

bool has_own_masks(const Tensor& tensor) { return tensor.kind() == Kind::masked && tensor.operands()[1].dim() == 3; }

}  // namespace

std::string no_scaling_is_idle(std::span<const Step> steps) {
  const auto is_scaled = [](const Tensor& tensor) { return tensor.operation().facts().root_of > 0; };
  const auto by_one = [](const Tensor& tensor) { return tensor.operation().facts().root_of == 1; };
  return all_such(steps, is_scaled, by_one)
             ? "the keys' dimension is 1, and so is its square root; try trainable --d-out 256 --init randn --tokens 8 "
               "--what-if no-scaling"
             : "";
}

std::string no_rescale_is_idle(std::span<const Step> steps) {
  const auto is_dropout = [](const Tensor& tensor) { return tensor.kind() == Kind::dropout; };
  const auto is_off = [](const Tensor& tensor) { return tensor.operation().facts().p == 0; };
  const auto is_all = [](const Tensor& tensor) { return tensor.operation().facts().p == 1; };
  return all_such(steps, is_dropout, is_off)   ? "with p = 0 nothing is dropped, and the factor is 1; try --dropout 0.5"
         : all_such(steps, is_dropout, is_all) ? "with p = 1 everything is dropped; try --dropout 0.5"
                                               : "";
}

std::string one_token_is_idle(std::span<const Step> steps) {
  const auto is_mask = [](const Tensor& tensor) { return tensor.operation().facts().is_by_tokens; };
  const auto is_one = [](const Tensor& tensor) { return tensor.size(-1) == 1; };
  return all_such(steps, is_mask, is_one) ? "a single token has no later one; try --tokens 6" : "";
}

std::string one_group_is_idle(std::span<const Step> steps) {
  const auto is_repeated = [](const Tensor& tensor) { return tensor.kind() == Kind::repeat; };
  const auto is_same = [](const Tensor& tensor) {
    const auto axis = static_cast<std::size_t>(tensor.operation().facts().axis);
    const std::int64_t heads = tensor.operands()[0].shape()[axis];
    return heads == 1 || heads == tensor.shape()[axis];
  };
  return all_such(steps, is_repeated, is_same)
             ? "with one head of keys, or one for each query head, both orders are the same; try --num-kv-heads 2"
             : "";
}

std::string no_padding_is_idle(std::span<const Step> steps) {
  const auto hides_nothing = [](const Tensor& tensor) {
    const auto contents = tensor.operands()[1].array().contents();
    return std::ranges::none_of(std::get<Block<bool>>(*contents), [](bool hidden) { return hidden; });
  };
  return all_such(steps, has_own_masks, hides_nothing) ? "no sequence has padding; try --tokens 6 --valid-length 4"
                                                       : "";
}

std::string no_mask_is_idle(std::span<const Step> steps) {
  const std::string reason = no_padding_is_idle(steps);
  return reason.empty() ? one_token_is_idle(steps) : reason;
}

std::string one_sequence_is_idle(std::span<const Step> steps) {
  const auto is_one = [](const Tensor& tensor) { return tensor.size(0) == 1; };
  return all_such(steps, has_own_masks, is_one) ? "a single sequence has only its own mask; try --batch 2"
                                                : no_padding_is_idle(steps);
}

std::string same_maximum_is_idle(std::span<const Step> steps) {
  const auto is_factor = [](const Tensor& tensor) {
    return tensor.kind() == Kind::exp && tensor.operands()[0].kind() == Kind::subtracted && tensor.size(-1) == 1;
  };
  const auto is_one = [](const Tensor& tensor) {
    const auto contents = tensor.array().contents();
    return std::ranges::all_of(std::get<Block<float>>(*contents), [](float factor) { return factor == 1; });
  };
  return std::ranges::none_of(steps, [](const Step& step) { return step.name == "rescale"; })
             ? "a single block has none before it"
         : all_such(
               steps, [&](const Tensor& tensor) { return tensor.name().starts_with("rescale") && is_factor(tensor); },
               is_one)
             ? "the first block has the largest score of every row"
             : "";
}

std::string same_pairs_is_idle(std::span<const Step> steps) {
  const auto is_rotated = [](const Tensor& tensor) { return rotation_of(tensor).has_value(); };
  const auto is_halved = [](const Tensor& tensor) { return rotation_of(tensor)->pairs == Pairs::halves; };
  const auto is_one = [](const Tensor& tensor) { return tensor.size(-1) == 2; };
  return all_such(steps, is_rotated, is_one)      ? "two columns are a single pair; try --d-out-kq 4"
         : all_such(steps, is_rotated, is_halved) ? "the columns are paired by halves already; try --pair-distance 1"
                                                  : "";
}

std::string no_rotated_values_is_idle(std::span<const Step> steps) {
  const auto rotated =
      std::ranges::find_if(steps, [](const Step& step) { return step.tensor && rotation_of(*step.tensor); });
  const auto values = std::ranges::find_if(steps, [&](const Step& step) {
    const bool is_named = step.name == "values" || step.name == "values_heads";
    return is_named && rotated != steps.end() && step.tensor->dim() == rotated->tensor->dim();
  });
  if (values == steps.end()) {
    return "";
  }
  return values->tensor->size(-1) != rotated->tensor->size(-1)
             ? "only values as long as keys can be rotated like them; try --d-out 4"
         : values->tensor->size(-2) == 1 ? "the only token is at position 0, where nothing turns; try --tokens 6"
                                         : "";
}

std::string one_distance_is_idle(std::span<const Step> steps) {
  const auto are_distances = [](const Tensor& tensor) { return tensor.name() == "distances"; };
  const auto is_one = [](const Tensor& tensor) { return tensor.size(-1) == 1; };
  return all_such(steps, are_distances, is_one) ? "a single token is at distance 0 from itself; try --tokens 6" : "";
}

std::string unscaled_bias_is_idle(std::span<const Step> steps) {
  return no_scaling_is_idle(steps).empty() ? one_distance_is_idle(steps)
                                           : "the keys of a head have dimension 1, and scaling divides by 1";
}

std::string one_slope_is_idle(std::span<const Step> steps) {
  const auto are_slopes = [](const Tensor& tensor) { return tensor.name() == "slopes"; };
  const auto is_one = [](const Tensor& tensor) { return tensor.size(0) == 1; };
  return all_such(steps, are_slopes, is_one) ? "a single head has only its own slope" : one_distance_is_idle(steps);
}

std::string same_slopes_is_idle(std::span<const Step> steps) {
  const auto are_slopes = [](const Tensor& tensor) { return tensor.name() == "slopes"; };
  const auto is_power_of_two = [](const Tensor& tensor) {
    return std::has_single_bit(static_cast<std::uint64_t>(tensor.size(0)));
  };
  return all_such(steps, are_slopes, is_power_of_two)
             ? "the number of heads is a power of two; try --num-heads 3 --d-out 6"
             : one_distance_is_idle(steps);
}

std::string wide_window_is_idle(std::span<const Step> steps) {
  const auto has_window = [](const Tensor& tensor) { return tensor.operation().facts().window > 0; };
  const auto is_wide = [](const Tensor& tensor) { return tensor.operation().facts().window >= tensor.size(-1); };
  return all_such(steps, has_window, is_wide)
             ? "the window shows every token to the last already; try --tokens 6 --window 3"
             : "";
}

std::string one_pair_is_idle(std::span<const Step> steps) {
  const auto are_frequencies = [](const Tensor& tensor) { return tensor.name() == "frequencies"; };
  const auto is_one = [](const Tensor& tensor) { return tensor.size(0) == 1; };
  return all_such(steps, are_frequencies, is_one) ? "there is a single frequency, 1, and a single pair of columns" : "";
}

std::string other_length_is_idle(std::span<const Step> steps) {
  const auto inputs = std::ranges::find(steps, "inputs", &Step::name);
  const auto is_projected = [](const Step& step) {
    return step.name == "queries" || step.name == "keys" || step.name == "values";
  };
  const bool have_other_length = inputs != steps.end() && std::ranges::any_of(steps, [&](const Step& step) {
                                   return is_projected(step) && step.tensor->size(-1) != inputs->tensor->size(-1);
                                 });
  return have_other_length
             ? "only to queries, keys and values as long as the inputs can positions be added; try --d-out " +
                   std::to_string(inputs->tensor->size(-1))
             : "";
}

std::string one_weight_is_idle(std::span<const Step> steps) {
  const auto are_weights = [](const Tensor& tensor) { return tensor.kind() == Kind::softmax; };
  const auto is_one = [](const Tensor& tensor) { return tensor.size(-1) == 1; };
  return all_such(steps, are_weights, is_one) ? "a single token has a single weight; try --tokens 6" : "";
}

std::string unscaled_gradient_is_idle(std::span<const Step> steps) {
  const auto is_scaled = [](const Tensor& tensor) { return tensor.operation().facts().root_of > 0; };
  const auto by_one = [](const Tensor& tensor) { return tensor.operation().facts().root_of == 1; };
  return all_such(steps, is_scaled, by_one) ? "the keys' dimension is 1, and so is its square root; try --d-out 2"
                                            : one_weight_is_idle(steps);
}

std::string never_idle(std::span<const Step>) { return ""; }

}  // namespace attn
