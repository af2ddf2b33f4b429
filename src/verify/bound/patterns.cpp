#include "verify/bound/patterns.hpp"

#include <algorithm>

#include "tensor/operations.hpp"

namespace attn::verify {

bool is_in(Region part, std::int64_t row, std::int64_t column) {
  switch (part) {
    case Region::above: return column > row;
    case Region::on_and_above: return column >= row;
    case Region::on_and_below: return column <= row;
    case Region::below: return column < row;
    case Region::diagonal: break;
  }
  return column == row;
}

bool is_square(const Shape& shape) { return shape.size() >= 2 && shape[shape.size() - 1] == shape[shape.size() - 2]; }

Tensor causal_mask(const Shape& shape) {
  const std::int64_t size = shape.back();
  return leaf({size, size}, DType::boolean, "causal mask", [size]() -> Contents {
    Block<bool> hidden({size, size});
    for (std::int64_t i = 0; i < size * size; ++i) {
      hidden[at(i)] = is_in(Region::above, i / size, i % size);
    }
    return hidden;
  });
}

Tensor mask_at(const Shape& shape, const std::vector<bool>& places, const std::string& words) {
  return leaf(shape, DType::boolean, words, [shape, places]() -> Contents {
    Block<bool> mask(shape);
    std::ranges::copy(places, mask.data());
    return mask;
  });
}

bool may_be_weights(const Observed& observed) {
  const auto odd = std::ranges::count_if(
      observed.cells(), [](const Interval& cell) { return !(cell.low >= -0.001 && cell.high <= 1.01); });
  return odd == 0 || odd * 100 <= 15 * static_cast<std::ptrdiff_t>(observed.size()) || odd == 1;
}

bool nearly_all_are(const Observed& observed, Region part, double value) {
  if (observed.rank() < 2) {
    return false;
  }
  const std::int64_t columns = observed.shape.back();
  const std::int64_t rows = observed.shape[observed.rank() - 2];
  std::int64_t all = 0;
  std::int64_t odd = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const auto position = static_cast<std::int64_t>(i);
    if (is_in(part, position / columns % rows, position % columns)) {
      const Interval cell = observed.cell(i);
      ++all;
      odd += (value == 0 ? cell.low > 0 || cell.high < 0 : cell.low != value) ? 1 : 0;
    }
  }
  return all > odd && odd * 5 <= all;
}

}  // namespace attn::verify
