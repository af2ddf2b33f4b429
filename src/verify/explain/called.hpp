#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "verify/read/printed.hpp"

namespace attn::verify {

/// What expressions call a printed tensor: "line 44", "cell 12", and where a cell of a notebook prints more than one,
/// "cell 12 line 3", with its label where that is short: `cell 12 line 3 "Queries"`.
std::string called(std::span<const Printed> printed, std::size_t i);

/// What a label says that a tensor is.
enum class Role { any, inputs, made };

/// "x", "embeddings" are inputs; "Q", "attention weights", "W_key" are made of others, or weights themselves.
Role role_of(std::string_view label);

/// Which of queries, keys and values a label or a name speaks of: 'q', 'k' or 'v'; 0 where of none, or of several.
char projection_of(std::string_view words);

}  // namespace attn::verify
