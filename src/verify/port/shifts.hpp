#pragma once

#include <optional>
#include <span>

#include "verify/port/causes.hpp"
#include "verify/port/looks.hpp"

namespace attn::verify {

/// Finds how a wrong tensor was drawn: some 32-bit words earlier or later than in the program, by another call, with
/// another seed; none if nothing known gives its numbers.
std::optional<Cause> drawn_otherwise(const Matched& matched, std::span<const Step> steps, const Otherwise& otherwise,
                                     Right& right, const Explains& explains);

}  // namespace attn::verify
