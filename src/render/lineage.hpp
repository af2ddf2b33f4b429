#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tensor/operations.hpp"

/// Which axes and vectors of a tensor stand for tokens.
namespace attn::render {

/// Whether the axis counts the lesson's tokens: the rows of the tensor named `inputs`, or of their `ids`.
bool counts_tokens(const Tensor& tensor, std::size_t axis);

/// The axes, outermost first, that have one item for each of `count` tokens.
std::vector<bool> token_axes(const Tensor& tensor, std::size_t count);

/// The row of `inputs` that a vector was made from, the query's where several meet.
std::optional<std::int64_t> token_of(const Tensor& vector);

}  // namespace attn::render
