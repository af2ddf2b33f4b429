#pragma once

#include <optional>
#include <span>
#include <vector>

#include "verify/explain/finding.hpp"
#include "verify/propose/replay.hpp"
#include "verify/read/draws.hpp"

namespace attn::verify {

/// The listing's calls with the seed that draws what the page prints, where that is not the seed that it names. None
/// where it is, where the listing names several, or where no usual seed does.
std::optional<std::vector<DrawCall>> calls_with_other_seed(std::span<const DrawCall> calls, const Report& report);

/// Says of what those calls drew that the listing names another seed: a mistake.
void tell_other_seed(std::span<const DrawCall> calls, std::span<const DrawCall> others, std::span<const Replayed> drawn,
                     Report& report);

}  // namespace attn::verify
