#pragma once

#include <optional>
#include <span>

#include "verify/explain/finding.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// The two rows, columns or cells whose swapping explains every cell that does not hold. `values` are the step's
/// numbers that stand where the printed cells do.
std::optional<Change> find_swap(const Printed& printed, std::span<const double> values);

}  // namespace attn::verify
