#pragma once

#include <span>

#include "verify/explain/match.hpp"
#include "verify/read/listing.hpp"
#include "verify/read/printed.hpp"

namespace attn::cli {

/// The toy inputs, the listing's literals, and the numbers in sight that operations may be given.
verify::Given given_of(std::span<const verify::Printed> printed, const verify::Listing& listing);

}  // namespace attn::cli
