#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "verify/explain/explanation.hpp"
#include "verify/explain/finding.hpp"
#include "verify/propose/relation.hpp"
#include "verify/read/budget.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// What is known of a page besides what it prints.
struct Given {
  std::vector<Source> sources;  ///< inputs and literals
  Givens numbers;
};

/// What explaining and reporting a printed thing takes in any case, whatever it turns out to be.
extern const std::size_t memory_to_explain_one;

/// Explains each tensor of a page by the best of the explanations, or by what it follows from. The report points into
/// the first two arguments. What is needed besides `memory_to_explain_one` for each is
/// taken from the budget; throws OverBudget where that has less.
Report match(std::span<const Printed> printed, std::span<const Explanation> explanations, const Given& given,
             Budget& budget);
Report match(std::span<const Printed> printed, std::span<const Explanation> explanations, const Given& given = {});

}  // namespace attn::verify
