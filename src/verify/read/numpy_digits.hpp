#pragma once

#include <span>

#include "verify/read/page.hpp"
#include "verify/read/printed.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {

/// numpy prints eight decimals and drops trailing zeros, so its [0.5 0.25] is exact unless it was rounded. If another
/// array of the page shows eight decimals, and the listing is on the page and does not round, the units of shorter
/// numbers become a millionth (of the power of ten of a number above 1), which float32 arithmetic may add. Without a
/// listing, only units of one decimal change, because hardly anybody rounds to one.
void refine_numpy_units(std::span<Printed> printed, const Page& page, const Zones& zones);

}  // namespace attn::verify
