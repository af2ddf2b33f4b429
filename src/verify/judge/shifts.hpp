#pragma once

#include <optional>
#include <span>

#include "verify/judge/causes.hpp"
#include "verify/judge/looks.hpp"

namespace attn::port {

/// How a wrong drawn tensor was drawn otherwise: some 32-bit words earlier or later than in the program, otherwise
/// altogether, with another seed; none where nothing known gives its numbers.
std::optional<Cause> drawn_otherwise(const Matched& matched, std::span<const Step> steps, const Otherwise& otherwise,
                                     Right& right, const Explains& explains);

}  // namespace attn::port
