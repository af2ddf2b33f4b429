#pragma once

#include <span>
#include <vector>

#include "verify/port/operands.hpp"
#include "walk/mistakes.hpp"

namespace attn::verify {

/// Finds mistakes whose number or mask a wrong softmax, masked scores or a mask reveal: another divisor or fill of
/// scores, a number added to the sum, another mask. Starts from the step's result for the port's operands.
std::vector<Mistake> solved_mistakes(const Laid& theirs, const Tensor& step, const PortOperands& operands,
                                     std::span<const Step> steps);

/// Tells what a mask [.., rows, columns] hides or shows wrongly: "the mask hides column 0 as well".
std::string mask_words(const std::vector<bool>& hidden, const std::vector<bool>& right, std::int64_t rows,
                       std::int64_t columns);

}  // namespace attn::verify
