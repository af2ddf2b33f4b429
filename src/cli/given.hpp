#pragma once

#include <span>

#include "verify/explain/find_draws.hpp"
#include "verify/explain/match.hpp"
#include "verify/read/listing.hpp"
#include "verify/read/printed.hpp"

namespace attn::cli {

/// The toy inputs, the listing's literals, and the numbers in sight that operations may be given.
verify::Given given_of(std::span<const verify::Printed> printed, const verify::Listing& listing);

/// What seeds were found to draw is given too: the numbers, and to lessons the seeds and sizes, before all others.
void add_draws(std::span<const verify::Drawn> draws, verify::Settings& settings, verify::Given& given);

}  // namespace attn::cli
