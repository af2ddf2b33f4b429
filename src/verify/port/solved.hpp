#pragma once

#include <string>
#include <vector>

#include "verify/causes/mistakes.hpp"
#include "verify/port/operands.hpp"

namespace attn::verify {

/// Finds mistakes whose number or mask wrong weights or masked scores reveal: another divisor of scores, another mask.
/// Starts from the step's result for the port's operands.
std::vector<Mistake> solved_mistakes(const Laid& theirs, const Tensor& step, const PortOperands& operands);

/// Tells what a mask [.., rows, columns] hides or shows wrongly: "the mask hides column 0 as well".
std::string mask_words(const std::vector<bool>& hidden, const std::vector<bool>& right, const Shape& shape);

}  // namespace attn::verify
