#pragma once

#include <span>
#include <string>

#include "walk/walkthrough.hpp"

/// Why a what-if rule changes no number of these steps, and what to try instead; empty if there is no such reason.
namespace attn {

std::string no_scaling_is_idle(std::span<const Step> steps);
std::string no_rescale_is_idle(std::span<const Step> steps);
std::string one_token_is_idle(std::span<const Step> steps);
std::string one_group_is_idle(std::span<const Step> steps);
std::string no_padding_is_idle(std::span<const Step> steps);
std::string no_mask_is_idle(std::span<const Step> steps);
std::string one_sequence_is_idle(std::span<const Step> steps);
std::string same_maximum_is_idle(std::span<const Step> steps);
std::string same_pairs_is_idle(std::span<const Step> steps);
std::string no_rotated_values_is_idle(std::span<const Step> steps);
std::string one_distance_is_idle(std::span<const Step> steps);
std::string unscaled_bias_is_idle(std::span<const Step> steps);
std::string one_slope_is_idle(std::span<const Step> steps);
std::string same_slopes_is_idle(std::span<const Step> steps);
std::string wide_window_is_idle(std::span<const Step> steps);
std::string one_pair_is_idle(std::span<const Step> steps);
std::string other_length_is_idle(std::span<const Step> steps);
std::string one_weight_is_idle(std::span<const Step> steps);
std::string unscaled_gradient_is_idle(std::span<const Step> steps);
std::string never_idle(std::span<const Step> steps);

}  // namespace attn
