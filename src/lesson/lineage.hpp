#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tensor/operations.hpp"

/// Finds the axes and vectors of a tensor that stand for tokens, and the axes that stand for heads.
namespace attn::render {

/// Returns true if the axis counts the lesson's tokens: the rows of the tensor named `inputs`, or of their `ids`.
bool counts_tokens(const Tensor& tensor, std::size_t axis);

/// Marks the axes, outermost first, that have one item for each of `count` tokens.
std::vector<bool> token_axes(const Tensor& tensor, std::size_t count);

/// Returns true if the axis counts heads: a view split the last axis into it and head_dim.
bool counts_heads(const Tensor& tensor, std::size_t axis);

/// "head 1" for the first item of an axis that counts heads.
std::string head_name(std::int64_t item);

/// Returns true if the tensor or any tensor it depends on has one of these kinds.
bool is_made_with(const Tensor& tensor, const std::set<Kind>& kinds);

/// The row of `inputs` that a vector was computed from; the query's row if several meet.
std::optional<std::int64_t> token_of(const Tensor& vector);

}  // namespace attn::render
