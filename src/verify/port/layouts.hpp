#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"
#include "verify/observed/observed.hpp"
#include "verify/port/axes.hpp"

namespace attn::verify {

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
  Order order = {};        ///< its axes, where it has all cells; empty if they are the target's, in its order
  std::string words = {};  ///< the layout: "[B, T, H, d]", "entry 1 of the batch"; empty if it is the target's
  bool is_named = false;   ///< it is the head that the tensor's name says
  bool is_plain = true;    ///< laid out like the target, except for axes of size 1
  bool is_turned = false;  ///< weights with a column for each query: a layout only where all are right
};

/// Tries each layout that programs use for such a target and that the tensor's shape allows, the plainest first, until
/// one is taken. A reshape that moves numbers to other axes is not a layout. Does nothing if no layout has this shape.
void lay_out(const Observed& theirs, const Target& target, const std::function<bool(Laid&& laid)>& take);

/// Splits a fused tensor into parts of the given sizes (numbers of elements); tries each way until one is taken.
void take_apart(const Observed& theirs, std::span<const std::int64_t> sizes, std::int64_t heads,
                const std::function<bool(std::vector<Observed>&& parts)>& take);

}  // namespace attn::verify
