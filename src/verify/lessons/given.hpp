#pragma once

#include <span>

#include "verify/explain/find_draws.hpp"
#include "verify/explain/match.hpp"
#include "verify/program/listing.hpp"
#include "verify/propose/replay.hpp"
#include "verify/read/printed.hpp"

namespace attn::verify {

/// The toy inputs, the listing's literals and draws, and the visible numbers that operations may take.
Given given_of(std::span<const Printed> printed, const Listing& listing, std::span<const Replayed> draws);

/// Adds the draws found for seeds to what is given, and their seeds and sizes to the settings, ahead of all others.
void add_draws(std::span<const Drawn> draws, Settings& settings, Given& given);

/// States in full which draw a tensor is.
void tell_draws(std::span<const Replayed> draws, Report& report);

}  // namespace attn::verify
