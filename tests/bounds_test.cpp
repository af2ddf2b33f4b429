// Between which numbers a tensor's cells lie. What is held against the bounds is computed otherwise: by the float32
// kernels, at the ends of the observed intervals, where all these operations are least and greatest.
// And what float32 rounding changes in a computation.

#include "verify/observed/observed.hpp"
#include "verify/port/right.hpp"

#include "made.hpp"
#include "tensor/operations.hpp"

namespace {

using namespace attn;
using test::bools;
using test::floats;
using namespace attn::verify;

using Cells = std::vector<Interval>;

/// One observed operand and what is made of it.
struct Case {
  const char* name;
  Shape shape;
  Cells cells;
  std::function<Tensor(const Tensor&)> made;
};

/// Printed numbers, with four decimals each.
Cells printed(const std::vector<double>& values, double half = 0.00005) {
  Cells cells;
  for (const double value : values) {
    cells.push_back({value - half, value + half});
  }
  return cells;
}

Cells bounds_of(const Case& one) {
  const Tensor x = floats(one.shape, std::vector<float>(one.cells.size()));
  Bounds bounds;
  bounds.observe(x, one.cells);
  const Tensor made = one.made(x);
  Cells result;
  for (std::int64_t i = 0; i < element_count(made.shape()); ++i) {
    result.push_back(bounds.cell(made, i));
  }
  return result;
}

/// What float32 kernels make of numbers.
std::vector<double> made_of(const Case& one, const std::vector<double>& values) {
  const Tensor made = one.made(floats(one.shape, std::vector<float>(values.begin(), values.end())));
  std::vector<double> result;
  for (std::int64_t i = 0; i < element_count(made.shape()); ++i) {
    result.push_back(made.array().value(index_at(i, made.shape())));
  }
  return result;
}

/// Numbers within the observed intervals give results within the bounds, which it returns.
Cells checked_bounds(const Case& one, unsigned seed) {
  std::mt19937 random(seed);
  const Cells bounds = bounds_of(one);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> values;
    for (const Interval& cell : one.cells) {
      const double drawn = std::uniform_real_distribution(cell.low, cell.high)(random);
      const auto rounded = static_cast<double>(static_cast<float>(drawn));
      values.push_back(rounded < cell.low || rounded > cell.high ? (cell.low + cell.high) / 2 : rounded);
    }
    const std::vector<double> made = made_of(one, values);
    for (std::size_t i = 0; i < made.size(); ++i) {
      REQUIRE(made[i] >= bounds[i].low);
      REQUIRE(made[i] <= bounds[i].high);
    }
  }
  return bounds;
}

const double infinity = std::numeric_limits<double>::infinity();
const float hidden = -std::numeric_limits<float>::infinity();

std::vector<Case> cases() {
  const Cells six = printed({0.43, 0.15, 0.89, -0.55, 0.87, 0.66});
  const Cells positive = printed({0.43, 0.15, 0.89, 0.55, 0.87, 0.66}, 0.005);
  const Cells wide = printed({0.4, 3.1, 0.9, -2.6, 0.9, 0.7}, 0.5);
  const Tensor weights = floats({3, 2}, {0.2F, -0.7F, 1.5F, 0.25F, -3.0F, 0.125F});
  const Tensor factors = floats({2, 3}, {2, -3, 4, -5, 6, 7});
  const Tensor divisors = floats({2, 1}, {2, -3});
  const Tensor scales = floats({3}, {2, -3, 4});
  const Tensor shifts = floats({3}, {0.1F, 0.2F, 0.3F});
  const Tensor bias = floats({2}, {0.1F, 0.2F});
  const Tensor mask = bools({3}, {0, 0, 1});
  const Tensor keep = bools({2, 3}, {1, 0, 1, 1, 1, 0});
  using T = const Tensor&;
  return {
      {"products", {2, 3}, six, [=](T x) { return matmul(x, weights); }},
      {"linear", {2, 3}, six, [=](T x) { return linear(x, t(weights), bias, "m"); }},
      {"sum", {2, 3}, six, [](T x) { return sum(x); }},
      {"scaled", {2, 3}, six, [](T x) { return divide(x, std::sqrt(2.0), "2**0.5"); }},
      {"product", {2, 3}, six, [=](T x) { return multiply(x, factors); }},
      {"quotient", {2, 3}, six, [=](T x) { return divide(x, divisors); }},
      {"exponential", {2, 3}, six, [](T x) { return exp(x); }},
      {"scaled queries", {2, 3}, six, [](T x) { return scale_queries(x); }},
      {"roots", {2, 3}, positive, [](T x) { return sqrt(x); }},
      {"scaled and shifted", {2, 3}, six, [=](T x) { return scale_and_shift(x, scales, shifts); }},
      {"softmax", {2, 3}, six, [](T x) { return softmax(x); }},
      {"softmax of wide intervals", {2, 3}, wide, [](T x) { return softmax(x); }},
      {"softmax over the rows", {2, 3}, six, [](T x) { return softmax_over(x, 0); }},
      {"softmax of masked scores", {2, 3}, six, [=](T x) { return softmax(masked_fill(x, mask, hidden)); }},
      {"kept and dropped", {2, 3}, six, [=](T x) { return dropout(x, keep, 0.5); }},
      {"zeroed", {2, 3}, six, [=](T x) { return kept(x, keep); }},
      {"views",
       {2, 3},
       six,
       [](T x) {
         return stack(index(view(t(contiguous(x)), {3, 2}), 1), 2);
       }},
      {"side by side",
       {2, 3},
       six,
       [](T x) {
         return cat({x, slice(x, -1, 0, 2)});
       }},
  };
}

Tensor normal_numbers(const Shape& shape, unsigned seed) {
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  std::mt19937 random(seed);
  std::ranges::generate(values, [&] { return std::normal_distribution<float>()(random); });
  return test::floats(shape, values);
}

/// A sum of products in one order, each addition rounded.
double dot_in_order(const std::vector<double>& a, const std::vector<double>& b, std::size_t row, std::size_t column,
                    std::size_t terms) {
  float sum = 0;
  for (std::size_t k = 0; k < terms; ++k) {
    sum += static_cast<float>(a[row * terms + k]) * static_cast<float>(b[column * terms + k]);
  }
  return static_cast<double>(sum);
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("bounds hold within the observed intervals, and are reached at their ends") {
    for (const Case& one : cases()) {
      CAPTURE(std::string(one.name));
      const Cells bounds = checked_bounds(one, 1);
      Cells reached(bounds.size(), {infinity, -infinity});
      for (std::size_t ends = 0; ends < std::size_t{1} << one.cells.size(); ++ends) {
        std::vector<double> values;
        for (std::size_t i = 0; i < one.cells.size(); ++i) {
          values.push_back((ends >> i & 1) != 0 ? one.cells[i].high : one.cells[i].low);
        }
        const std::vector<double> made = made_of(one, values);
        for (std::size_t i = 0; i < made.size(); ++i) {
          reached[i] = {std::min(reached[i].low, made[i]), std::max(reached[i].high, made[i])};
        }
      }
      for (std::size_t i = 0; i < bounds.size(); ++i) {
        CHECK(bounds[i].low == doctest::Approx(reached[i].low).epsilon(2e-6));
        CHECK(bounds[i].high == doctest::Approx(reached[i].high).epsilon(2e-6));
      }
    }
  }

  TEST_CASE("a whole layer: every number is within the bounds") {
    const auto project = [](const Tensor& x, std::vector<float> weights) {
      return matmul(x, floats({3, 2}, std::move(weights)));
    };
    const Cells inputs = printed({0.43, 0.15, 0.89, 0.55, 0.87, 0.66, 0.57, 0.85, 0.64});
    const Case layer{"layer", {3, 3}, inputs, [&](const Tensor& x) {
                       const Tensor queries = project(x, {0.3F, 0.5F, 0.1F, 0.8F, 0.2F, 0.7F});
                       const Tensor keys = project(x, {0.1F, 0.4F, 0.6F, 0.2F, 0.3F, 0.9F});
                       const Tensor causal = bools({3, 3}, {0, 1, 1, 0, 0, 1, 0, 0, 0});
                       const Tensor scores = divide(matmul(queries, t(keys)), std::sqrt(2.0), "2**0.5");
                       return matmul(softmax(masked_fill(scores, causal, hidden)), x);
                     }};
    for (const Interval& cell : checked_bounds(layer, 2)) {
      CHECK(cell.high - cell.low < 0.0005);
    }
  }

  TEST_CASE("a cell of a sum has the same bounds alone as among many") {
    std::vector<float> numbers(1440);
    std::mt19937 random(3);
    std::ranges::generate(numbers, [&] { return std::uniform_real_distribution(-1.0F, 1.0F)(random); });
    const Tensor x = floats({2, 20, 36}, numbers);
    const Tensor weights = floats({30, 36}, {numbers.begin(), numbers.begin() + 1080});
    const Tensor bias = floats({30}, {numbers.begin(), numbers.begin() + 30});
    const Tensor heads = transpose(view(x, {2, 20, 3, 12}), 1, 2);
    for (const Tensor& made :
         {matmul(x, t(weights)), linear(x, weights, bias, "m"), matmul(heads, transpose(heads, 2, 3)),
          sum(stack(x, 20)), sum(stack(x, 20), true, -2), pairwise_dots(index(x, 0), index(x, 1))}) {
      CAPTURE(made.expression());
      Bounds many;
      for (std::int64_t i = element_count(made.shape()); i-- > 0;) {
        const Interval alone = Bounds().cell(made, i);
        const Interval among = many.cell(made, i);
        CHECK(alone.low == among.low);
        CHECK(alone.high == among.high);
      }
    }
  }

  TEST_CASE("coarser arithmetic has wider bounds") {
    const Tensor x = floats({3}, {0.43F, 0.15F, 0.89F});
    const Interval fine = Bounds().cell(dot(x, x), 0);
    const Interval coarse = Bounds(0x1p-8).cell(dot(x, x), 0);
    CHECK(coarse.radius() == doctest::Approx(fine.radius() * 0x1p16));
    CHECK(coarse.middle() == doctest::Approx(fine.middle()));
  }

  TEST_CASE("whole numbers and unobserved numbers are exact") {
    const Tensor a = floats({2, 2}, {1, 0, 2, 3});
    const Tensor product = matmul(a, a);
    Bounds bounds;
    for (std::int64_t i = 0; i < 4; ++i) {
      const Interval cell = bounds.cell(product, i);
      CHECK(cell.low == cell.high);
      CHECK(cell.low == product.array().value(index_at(i, {2, 2})));
    }
  }

  TEST_CASE("a hidden score has weight 0, and a row of only hidden scores is nan") {
    const Tensor weights = softmax(floats({2, 2}, {1, hidden, hidden, hidden}));
    Bounds bounds;
    CHECK(bounds.cell(weights, 1).high == 0);
    CHECK(bounds.cell(weights, 0).low == doctest::Approx(1));
    CHECK(std::isnan(bounds.cell(weights, 2).low));
  }
}

TEST_SUITE("noise") {
  TEST_CASE("sums of products in any order are within it, a changed factor is not") {
    for (const std::int64_t width : {16, 64, 768, 4096}) {
      CAPTURE(width);
      const Tensor a = normal_numbers({6, width}, 1);
      const Tensor b = normal_numbers({40, width}, 2);
      const Tensor product = matmul(a, t(b));
      const std::vector<double> right = values_of(product);
      const std::vector<double> x = values_of(a);
      const std::vector<double> y = values_of(b);
      Noise noise;
      for (std::size_t i = 0; i < right.size(); ++i) {
        const double allowed = noise.at(product, static_cast<std::int64_t>(i));
        const double naive = dot_in_order(x, y, i / 40, i % 40, static_cast<std::size_t>(width));
        CHECK(std::abs(naive - right[i]) <= allowed);
        CHECK(allowed < 1e-4 * std::sqrt(static_cast<double>(width)));
      }
    }
  }

  TEST_CASE("a frequency off by its last bit is within it at any position") {
    const Tensor positions = leaf({4096, 1}, DType::float32, "positions", []() -> Contents {
      Block<float> block(Shape{4096, 1});
      for (std::size_t i = 0; i < block.size(); ++i) {
        block[i] = static_cast<float>(i);
      }
      return block;
    });
    const float frequency = 0.7498942F;
    const auto waves = [&](float of) {
      return cos(multiply(positions, leaf({1, 1}, DType::float32, "f", [of]() -> Contents {
                            Block<float> block(Shape{1, 1});
                            block[0] = of;
                            return block;
                          })));
    };
    const Tensor wave = waves(frequency);
    const std::vector<double> right = values_of(wave);
    const std::vector<double> near = values_of(waves(std::nextafter(frequency, 1.0F)));
    const std::vector<double> other = values_of(waves(frequency * 1.0001F));
    Noise noise;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      const double allowed = noise.at(wave, static_cast<std::int64_t>(i)) + 1e-5;
      CHECK(std::abs(near[i] - right[i]) <= allowed);
      wrong += std::abs(other[i] - right[i]) > allowed ? 1U : 0U;
    }
    CHECK(wrong > right.size() / 2);
  }
}
