#pragma once

#include <cstdint>
#include <span>

#include "walk/walkthrough.hpp"

namespace attn {

/// The bytes that this process may still use: the smallest of what the machine has free, its limits and its
/// control group's.
std::int64_t available_memory();

/// Throws TooLarge, with both sizes, where the tensors behind the steps, those that are drawn in any case, and copies
/// of the largest for printing and saving need more than `available` bytes. Asks no tensor for its numbers.
void check_fits(std::span<const Step> steps, std::span<const Tensor> drawn, std::int64_t available);

}  // namespace attn
