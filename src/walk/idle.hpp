#pragma once

#include <span>
#include <string>

#include "walk/what_if.hpp"

/// Why a rule changes no number of some steps, and what to try instead; empty if there is no such reason.
namespace attn {

std::string sentence_of(const Reason& reason, std::span<const Step> steps);

std::string same_maximum_is_idle(std::span<const Step> steps);
std::string no_rotated_values_is_idle(std::span<const Step> steps);
std::string other_length_is_idle(std::span<const Step> steps);

}  // namespace attn
