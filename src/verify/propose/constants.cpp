#include <cmath>
#include <limits>
#include <string>

#include "tensor/operations.hpp"
#include "tensor/words.hpp"
#include "verify/bound/patterns.hpp"
#include "verify/propose/rows.hpp"

namespace attn::verify {
namespace {

/// A square matrix with one number in a part and another in the rest; `SIZE` and `VALUE` stand for numbers in its
/// words.
struct Pattern {
  Region region;
  double inside;
  double outside;
  const char* words;
};

constexpr double hidden = -std::numeric_limits<double>::infinity();
constexpr Pattern patterns[] = {
    {Region::on_and_below, 1, 0, "torch.tril(torch.ones(SIZE))"},
    {Region::above, 1, 0, "torch.triu(torch.ones(SIZE), diagonal=1)"},
    {Region::on_and_above, 1, 0, "torch.triu(torch.ones(SIZE))"},
    {Region::diagonal, 1, 0, "torch.eye(COUNT)"},
    {Region::above, hidden, 0, "torch.triu(torch.full((SIZE), VALUE), diagonal=1)"},
    {Region::below, hidden, 0, "torch.tril(torch.full((SIZE), VALUE), diagonal=-1)"},
    {Region::above, hidden, 1, "torch.ones(SIZE).masked_fill(causal mask, VALUE)"},
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t place = text.find(what);
  return place == std::string::npos ? text : text.replace(place, what.size(), by);
}

/// The target's minimum, if it is far below any score: the number that hides scores, such as -1e9.
double hiding_value(const Observed& target) {
  constexpr double far_below = -1e4;
  double least = 0;
  for (const Interval& cell : target.cells()) {
    least = cell.middle() < least ? cell.middle() : least;
  }
  return least <= far_below ? least : hidden;
}

/// A pattern of this shape; its words use `hiding` for hidden cells.
Tensor square_of(const Shape& shape, const Pattern& pattern, double hiding) {
  const double inside = pattern.inside == hidden ? hiding : pattern.inside;
  const std::int64_t count = shape.back();
  std::string words = replaced(pattern.words, "SIZE", sizes_text({count, count}));
  words = replaced(words, "COUNT", std::to_string(count));
  words = replaced(words, "VALUE", std::isinf(inside) ? "-torch.inf" : python_repr(inside));
  return leaf(shape, DType::float32, words, [shape, inside, count, pattern]() -> Contents {
    Block<float> numbers(shape);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      const bool is_inside = is_in(pattern.region, place / count % count, place % count);
      numbers[i] = static_cast<float>(is_inside ? inside : pattern.outside);
    }
    return numbers;
  });
}

}  // namespace

void propose_constants(Search& search) {
  const double hiding = hiding_value(search.target());
  for (const Pattern& pattern : patterns) {
    if (is_square(search.shape())) {
      search.offer(Form::constant, square_of(search.shape(), pattern, hiding));
    }
  }
}

void propose_running_means(Search& search) {
  const auto weights_of = [](std::int64_t size) {
    const Tensor triangle = square_of({size, size}, patterns[0], hidden);
    return divide(triangle, sum(triangle, true));
  };
  if (search.shape().size() != 2) {
    return;
  }
  if (is_square(search.shape())) {
    search.offer(Form::constant, weights_of(search.shape()[0]));
  }
  for (const Leaf& leaf : search.leaves()) {
    if (leaf.tensor.shape() == search.shape()) {
      search.offer(Form::several, matmul(weights_of(search.shape()[0]), leaf.tensor));
    }
  }
}

}  // namespace attn::verify
