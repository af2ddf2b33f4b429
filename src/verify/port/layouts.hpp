#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"
#include "verify/observed/observed.hpp"

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

/// A tensor that somebody's numbers may be.
struct Target {
  const Tensor& tensor;
  SharedNumbers right;     ///< its numbers, row-major
  std::int64_t heads = 1;  ///< that d_out is divided among
};

/// A port's numbers, rearranged to a target's shape.
struct Laid {
  SharedNumbers values = {};             ///< row-major; the right ones where the port has none
  std::vector<std::int64_t> cells = {};  ///< the cells that the port has, in order; empty: all
  std::string words = {};  ///< the layout: "[B, T, H, d]", "entry 1 of the batch"; empty if it is the target's
  bool is_named = false;   ///< it is the head that the tensor's name says
  bool is_plain = true;    ///< laid out like the target, except for axes of size 1
  bool is_turned = false;  ///< weights with a column for each query: a layout only where all are right
};

/// Returns true for a number that hides a score: far below the others.
inline bool is_hiding(double value) { return value < -1e3; }

/// Tries each layout that programs use for such a target and that the tensor's shape allows, the plainest first, until
/// one is taken. A reshape that moves numbers to other axes is not a layout. Does nothing if no layout has this shape.
void lay_out(const Observed& theirs, const Target& target, const std::function<bool(Laid&& laid)>& take);

/// The ways to split a fused tensor into parts of the given sizes (numbers of elements).
std::vector<std::vector<Observed>> taken_apart(const Observed& theirs, std::span<const std::int64_t> sizes,
                                               std::int64_t heads);

}  // namespace attn::verify
