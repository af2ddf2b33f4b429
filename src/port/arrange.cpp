#include "port/arrange.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

namespace attn::port {
namespace {

/// Row-major numbers of this shape with the axes in another order.
std::vector<double> permuted(std::span<const double> values, const Shape& shape, const std::vector<std::size_t>& order) {
  const Shape strides = row_major_strides(shape);
  Shape target;
  Shape steps;
  for (const std::size_t axis : order) {
    target.push_back(shape[axis]);
    steps.push_back(strides[axis]);
  }
  std::vector<double> result;
  result.reserve(values.size());
  for (std::int64_t position = 0; position < static_cast<std::int64_t>(values.size()); ++position) {
    const Shape index = index_at(position, target);
    result.push_back(values[static_cast<std::size_t>(
        std::inner_product(index.begin(), index.end(), steps.begin(), std::int64_t{0}))]);
  }
  return result;
}

Shape with_swapped(Shape shape, std::size_t a, std::size_t b) {
  std::swap(shape[a], shape[b]);
  return shape;
}

/// The order of axes with two swapped.
std::vector<std::size_t> swapping(std::size_t rank, std::size_t a, std::size_t b) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[a], order[b]);
  return order;
}

Shape without_ones(Shape shape) {
  std::erase(shape, 1);
  return shape;
}

}  // namespace

std::optional<Arranged> arrange(const dump::Dumped& theirs, const Shape& shape, std::span<const double> right,
                                const Tolerance& tolerance) {
  if (theirs.values.size() != right.size()) {
    return std::nullopt;
  }
  if (theirs.shape == shape) {
    return Arranged{theirs.values, ""};  // wrong numbers of the right shape are wrong, and not laid out otherwise
  }
  const std::size_t rank = shape.size();
  const std::string other_shape = "of shape " + shape_text(theirs.shape);
  std::vector<Arranged> ways{{theirs.values, other_shape}};
  if (rank >= 2 && without_ones(theirs.shape) == without_ones(with_swapped(shape, rank - 2, rank - 1))) {
    ways.push_back({permuted(theirs.values, with_swapped(shape, rank - 2, rank - 1), swapping(rank, rank - 2, rank - 1)),
                    other_shape + ", transposed"});
  }
  if (rank == 4 && shape[1] > 1) {
    ways.push_back({permuted(theirs.values, with_swapped(shape, 1, 2), swapping(rank, 1, 2)),
                    other_shape + (theirs.shape.size() >= 4 ? ", heads after tokens" : ", heads joined")});
  }
  if (rank == 3 && theirs.shape.size() == 4) {  // [b, heads, tokens, head_dim] for joined [b, tokens, d_out]
    ways.push_back({permuted(theirs.values, theirs.shape, swapping(4, 1, 2)), other_shape + ", heads split"});
  }
  std::size_t best = 0;
  std::size_t fewest = right.size() + 1;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::size_t wrong = compare(ways[i].values, right, tolerance).mismatched.size();
    if (wrong < fewest) {
      best = i;
      fewest = wrong;
    }
  }
  return ways[best];
}

}  // namespace attn::port
