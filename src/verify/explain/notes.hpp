#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/explain/known_steps.hpp"
#include "verify/explain/match.hpp"

namespace attn::verify {

/// "avx2 kernels", "MKL dropout kernel"
std::string cpu_words(const Explanation& explanation);
/// "OpenBLAS's haswell kernels"
std::string blas_words(const Explanation& explanation);
std::string dropout_words(const Explanation& explanation);

/// "these are the numbers of PyTorch's MKL dropout kernel": what sets `whose` apart from `other`.
std::string whose_numbers(const Explanation& whose, const Explanation& other);

/// The pool's numbers that every printed cell agrees with.
std::vector<std::size_t> exact_numbers(const Printed& printed, const Pool& pool);

/// The step of `known` that is what step `i` of `other` is there.
std::optional<std::size_t> counterpart(const KnownSteps& known, const KnownSteps& other, std::size_t i);

/// Where a finding does not hold: says whether another explanation has exactly the page's numbers.
void add_kernel_note(Finding& finding, const KnownSteps& best, std::span<const KnownSteps> all, const Pool& pool);

/// Names the article's slips that the finding is one of.
void add_slips(Finding& finding, const Explanation& explanation);

}  // namespace attn::verify
