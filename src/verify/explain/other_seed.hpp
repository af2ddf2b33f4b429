#pragma once

#include <optional>
#include <span>
#include <vector>

#include "verify/explain/finding.hpp"
#include "verify/propose/replay.hpp"
#include "verify/read/draws.hpp"

namespace attn::verify {

/// The listing's calls with the seed that draws the page's numbers, if it is not the seed that the listing names. Empty
/// if it is, if the listing names several, or if no usual seed does.
std::optional<std::vector<DrawCall>> calls_with_other_seed(std::span<const DrawCall> calls, const Report& report);

/// Reports for the tensors of these calls that the listing names another seed: a mistake.
void tell_other_seed(std::span<const DrawCall> calls, std::span<const DrawCall> others, std::span<const Replayed> drawn,
                     Report& report);

}  // namespace attn::verify
