#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"

/// The axes of tensors, and the orders and shapes in which programs have them.
namespace attn::verify {

struct Axis {
  std::string label;  ///< "B", "H", "T", "S" (keys of attention weights), "d", "D" (d of all heads), "d_out", "d_in"
  std::int64_t size;
  std::int64_t step;       ///< stride, in cells
  std::string whole = {};  ///< for a part of an axis: that axis
};

/// The axes that a tensor has, in its order: {"T", "B*H", "d"}.
using Order = std::vector<std::string>;

/// Returns true if the last two axes both count tokens: scores, weights, masks.
bool is_token_by_token(const Tensor& tensor);

bool is_weight(const Tensor& tensor);

std::vector<Axis> axes_of(const Tensor& tensor);

/// The orders in which programs may store the axes: the target's own comes first, then those with its last axis last.
std::vector<std::vector<Axis>> orders_of(const std::vector<Axis>& axes);

/// Returns true if weights have a column for each query: their rows do not sum to 1, their columns do.
bool is_turned(const std::vector<Axis>& order);

/// The axes that a shape may list one by one or multiplied together: all but those of size 1. An axis shared by all
/// heads is divided.
std::vector<Axis> atoms_of(const std::vector<Axis>& axes, std::int64_t heads);

/// Returns {"B*H", "T", "d"} if each axis of the shape is one of these atoms or a product of several. If they are not
/// in the target's order, d must come last in its product, and no tokens before entries: numbers would move to another
/// head or row.
std::optional<Order> order_of(const Shape& shape, const std::vector<Axis>& atoms, bool is_own_order);

/// Returns the target's cell for each number, in order: the cells of `atoms` from `first` on.
std::vector<std::int64_t> cells_of(const std::vector<Axis>& atoms, std::int64_t first);

/// Returns the cell of a tensor of this shape for each number of one whose axes are in another order.
std::vector<std::int64_t> cells_in_order(const Shape& shape, const std::vector<std::size_t>& order);

}  // namespace attn::verify
