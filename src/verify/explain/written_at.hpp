#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "verify/program/written.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// For each printed thing, the place of the listing's expression that printed it.
using WrittenAt = std::vector<std::optional<std::size_t>>;

/// Finds the expressions by order within a cell or a block of outputs if the numbers match, else by label; empty if one
/// cannot be determined.
WrittenAt written_at(std::span<const Printed> printed, std::span<const Written> written);

}  // namespace attn::verify
