#pragma once

#include <optional>
#include <span>
#include <vector>

#include "verify/port/items.hpp"

namespace attn::verify {

/// Whether tokens come before entries of the batch, where the layout of a right tensor says so.
std::optional<bool> is_tokens_first(const Item& item);

/// Rows of one program are either entry by entry or token by token, as its first tensor is: the right items whose rows
/// are the other way round.
std::vector<Item*> rows_in_another_order(std::span<Item> items);

}  // namespace attn::verify
