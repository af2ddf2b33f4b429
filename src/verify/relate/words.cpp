#include "verify/relate/words.hpp"

#include <algorithm>
#include <cmath>

#include "text/numbers.hpp"

namespace attn::verify {

std::vector<Divisor> divisors(const Givens& givens) {
  std::vector<Divisor> result{{1, ""}};
  for (const std::int64_t size : givens.sizes) {
    if (size > 1) {
      result.push_back({std::sqrt(static_cast<double>(size)), " / " + std::to_string(size) + "**0.5"});
    }
  }
  return result;
}

std::string number_words(double value) {
  std::string words = std::to_string(value);
  words.erase(words.find_last_not_of('0') + 1);
  return words;
}

std::string causal_words(const std::string& scores, const std::string& divisor) {
  return "softmax(" + scores + ".masked_fill(causal mask, -torch.inf)" + divisor + ")";
}

bool may_be_weights(const Grid& grid) {
  const auto odd = std::ranges::count_if(
      grid.cells, [](const Interval& cell) { return !(cell.low >= -0.001 && cell.high <= 1.01); });
  return odd == 0 || odd * 100 <= 15 * static_cast<std::ptrdiff_t>(grid.cells.size()) || odd == 1;
}

bool is_lower_triangle(const Grid& grid, double value) {
  if (grid.rank() < 2) {
    return false;
  }
  const std::int64_t columns = grid.shape.back();
  const std::int64_t rows = grid.shape[grid.rank() - 2];
  std::int64_t above = 0;
  std::int64_t odd = 0;
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const auto position = static_cast<std::int64_t>(i);
    if (position % columns > position / columns % rows) {
      const Interval& cell = grid.cells[i];
      ++above;
      odd += (value == 0 ? cell.low > 0 || cell.high < 0 : cell.low != value) ? 1 : 0;
    }
  }
  return above > odd && odd * 5 <= above;
}

}  // namespace attn::verify
