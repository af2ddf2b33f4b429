#include <cmath>
#include <limits>
#include <string>

#include "verify/relate/vocabulary.hpp"

namespace attn::verify {
namespace {

enum class Triangle { lower, upper, diagonal };

bool is_in(Triangle part, std::int64_t row, std::int64_t column) {
  switch (part) {
    case Triangle::lower: return column <= row;
    case Triangle::upper: return column > row;
    case Triangle::diagonal: break;
  }
  return column == row;
}

/// A square of which a part is one number and the rest another.
Grid pattern(const Shape& shape, Triangle part, double inside, double outside) {
  Grid grid{shape, {}};
  const std::int64_t columns = shape.back();
  const std::int64_t rows = shape[shape.size() - 2];
  for (std::int64_t i = 0; i < element_count(shape); ++i) {
    const double value = is_in(part, i / columns % rows, i % columns) ? inside : outside;
    grid.cells.push_back({value, value});
  }
  return grid;
}

}  // namespace

void try_constants(Trial& trial) {
  const Shape& shape = trial.target().shape;
  if (shape.size() < 2 || shape[shape.size() - 1] != shape[shape.size() - 2]) {
    return;
  }
  const std::string size = std::to_string(shape.back()) + ", " + std::to_string(shape.back());
  const std::string ones = "torch.ones(" + size + ")";
  // A mask says as much as it has places where it could be otherwise.
  const double chance = -std::log10(2.0) * static_cast<double>(trial.target().cells.size());
  const auto offer = [&](Triangle part, double inside, double outside, const std::string& words) {
    trial.offer_with_chance(Form::constant, pattern(shape, part, inside, outside), chance, {}, [&] { return words; });
  };
  constexpr double hidden = -std::numeric_limits<double>::infinity();
  offer(Triangle::lower, 1, 0, "torch.tril(" + ones + ")");
  offer(Triangle::upper, 1, 0, "torch.triu(" + ones + ", diagonal=1)");
  offer(Triangle::diagonal, 1, 0, "torch.eye(" + std::to_string(shape.back()) + ")");
  offer(Triangle::upper, hidden, 0, "torch.triu(torch.full((" + size + "), -torch.inf), diagonal=1)");
  offer(Triangle::upper, hidden, 1, ones + ".masked_fill(causal mask, -torch.inf)");
}

}  // namespace attn::verify
