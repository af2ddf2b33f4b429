#pragma once

#include <span>
#include <vector>

#include "verify/judge/operands.hpp"
#include "walk/mistakes.hpp"

namespace attn::port {

/// The mistakes that a wrong softmax, masked scores or a mask tell the number or the mask of: scores divided by another
/// number, hidden by one, a number added to the sum, another mask. Of what the step makes of the port's operands.
std::vector<Mistake> solved_mistakes(const Laid& theirs, const Tensor& step, const Operands& operands,
                                     std::span<const Step> steps);

/// What a mask [.., rows, columns] hides that it should not, and shows: "the mask hides column 0 as well".
std::string mask_words(const std::vector<bool>& hidden, const std::vector<bool>& right, std::int64_t rows,
                       std::int64_t columns);

}  // namespace attn::port
