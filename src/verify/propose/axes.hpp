#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"

/// The axes of tensors, and the orders and shapes in which programs have them.
namespace attn::port {

struct Axis {
  std::string label;  ///< "B", "H", "T", "d", "D" (d of all heads), "d_out", "d_in"
  std::int64_t size;
  std::int64_t step;       ///< how many cells apart its entries are
  std::string whole = {};  ///< of a part: the axis that it is a part of
};

/// Whether the last two axes both count tokens: scores, weights, masks.
bool is_token_by_token(const Tensor& tensor);

bool is_weight(const Tensor& tensor);

std::vector<Axis> axes_of(const Tensor& tensor);

/// The orders in which programs have the axes, the target's own first.
std::vector<std::vector<Axis>> orders_of(const std::vector<Axis>& axes);

/// The axes that a shape may have one by one or multiplied: all but those of size 1, what all heads share divided.
std::vector<Axis> atoms_of(const std::vector<Axis>& axes, std::int64_t heads);

/// "[B*H, T, d]" where the shape's axes are these atoms, one or several to each. Where they are not in the target's
/// order, d comes last in what it is multiplied into: otherwise its numbers would be another head's.
std::optional<std::string> words_of(const Shape& shape, const std::vector<Axis>& atoms, bool is_own_order);

/// For each of the numbers, in their order, the target's cell: cells of `atoms` from `first` on.
std::vector<std::int64_t> cells_of(const std::vector<Axis>& atoms, std::int64_t first);

}  // namespace attn::port
