#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "files/read.hpp"
#include "tensor/tensor.hpp"

namespace attn::port {

/// What a tensor's numbers may be the numbers of.
struct Target {
  const Tensor& tensor;
  std::span<const double> right;  ///< its numbers, row-major
  std::int64_t heads = 1;         ///< among which d_out is divided
};

/// Somebody's numbers in a target's shape.
struct Laid {
  std::vector<double> values;       ///< row-major; where they have none, the right ones
  std::vector<std::int64_t> cells;  ///< those that they have, in order; empty: all of them
  std::string words;      ///< how they are laid out: "[B, T, H, d]", "entry 1 of the batch"; empty where as the target
  bool is_named = false;  ///< the head that the tensor's name says
  bool is_plain = true;   ///< laid out as the target, but for axes of size 1
};

/// Builds each way in which programs lay such a target out and which the tensor's own shape allows, the plainest first,
/// until one is taken. A shape that moves numbers to other axes is no layout. Nothing where no layout has this shape.
void lay_out(const dump::Dumped& theirs, const Target& target, const std::function<bool(Laid&& laid)>& take);

/// A fused tensor taken apart: as many tensors as there are sizes, with these numbers of elements; each way until one
/// is taken.
void take_apart(const dump::Dumped& theirs, std::span<const std::int64_t> sizes, std::int64_t heads,
                const std::function<bool(std::vector<dump::Dumped>&& parts)>& take);

}  // namespace attn::port
