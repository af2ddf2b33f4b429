#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tensor/operations.hpp"

/// Which axes and vectors of a tensor stand for tokens, and which axes for heads.
namespace attn::render {

/// Returns true if the axis counts the lesson's tokens: the rows of the tensor named `inputs`, or of their `ids`.
bool counts_tokens(const Tensor& tensor, std::size_t axis);

/// The axes, outermost first, that have one item for each of `count` tokens.
std::vector<bool> token_axes(const Tensor& tensor, std::size_t count);

/// Returns true if the axis counts heads: a view made it and head_dim of the last axis.
bool counts_heads(const Tensor& tensor, std::size_t axis);

/// "head 1", for the first item of an axis that counts heads.
std::string head_name(std::int64_t item);

/// Returns true if the tensor, or any tensor it depends on, has one of these kinds.
bool is_made_with(const Tensor& tensor, const std::set<Kind>& kinds);

/// The row of `inputs` that a vector was made from, the query's where several meet.
std::optional<std::int64_t> token_of(const Tensor& vector);

}  // namespace attn::render
