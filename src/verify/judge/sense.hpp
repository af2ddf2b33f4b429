#pragma once

#include <span>

#include "verify/judge/items.hpp"

namespace attn::port {

/// A wrong mask of 0 and 1 may be True for what is hidden or for what is seen: the port's own scores and weights tell,
/// or else the mask is kept in both senses.
void choose_sense(Matched& mask, std::span<const Item> items, std::span<const Step> steps, Right& right,
                  Operands& operands);

}  // namespace attn::port
