#pragma once

#include <span>

#include "verify/port/items.hpp"

namespace attn::verify {

/// Decides whether 1 in a wrong mask of 0 and 1 means hidden or visible: by the port's own scores and weights. If they
/// do not tell, keeps the mask in both senses.
void choose_sense(Matched& mask, std::span<const Item> items, std::span<const Step> steps, Right& right,
                  PortOperands& operands);

}  // namespace attn::verify
