#pragma once

#include <span>

#include "verify/read/page.hpp"
#include "verify/read/printed.hpp"
#include "verify/read/zones.hpp"

namespace attn::verify {

/// numpy prints eight decimals and leaves out the zeros at their end, so its [0.5 0.25] is exact unless somebody
/// rounded. Where another array of the page shows its eight decimals, the listing is on the page and rounds nowhere,
/// the units of shorter ones become a millionth (of the power of ten of a number above 1): what float32 arithmetic may
/// add. Without a listing only those of one decimal do, to which hardly anybody rounds.
void refine_numpy_units(std::span<Printed> printed, const Page& page, const Zones& zones);

}  // namespace attn::verify
