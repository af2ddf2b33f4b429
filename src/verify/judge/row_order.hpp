#pragma once

#include <span>
#include <vector>

#include "verify/judge/items.hpp"

namespace attn::verify {

/// Rows of one program are either entry by entry or token by token, as its first tensor is: the right items whose rows
/// are the other way round.
std::vector<Item*> rows_in_another_order(std::span<Item> items);

}  // namespace attn::verify
