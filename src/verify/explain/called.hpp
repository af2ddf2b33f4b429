#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "verify/read/printed.hpp"

namespace attn::verify {

/// The name of a printed tensor in expressions: "line 44", "cell 12" or, if a notebook's cell prints more than one,
/// "cell 12 line 3", with a short label: `cell 12 line 3 "Queries"`.
std::string called(std::span<const Printed> printed, std::size_t i);

/// The role that a label gives to a tensor.
enum class Role { any, inputs, made };

/// "x" and "embeddings" are inputs; "Q", "attention weights" and "W_key" are computed from others, or are parameters.
Role role_of(std::string_view label);

/// The projection that a label or a name mentions: 'q', 'k' or 'v'; 0 if none or several.
char projection_of(std::string_view words);

}  // namespace attn::verify
