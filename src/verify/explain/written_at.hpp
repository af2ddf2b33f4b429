#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "verify/read/printed.hpp"
#include "verify/read/written.hpp"

namespace attn::verify {

/// For each printed thing, which expression of the listing printed it: by the order within a cell or a block of outputs
/// where both are as many, else by the label; none where it cannot be told.
std::vector<std::optional<std::size_t>> written_at(std::span<const Printed> printed, std::span<const Written> written);

}  // namespace attn::verify
