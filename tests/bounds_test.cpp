// Between which numbers a tensor's cells lie. What is held against the bounds is computed otherwise: by the float32
// kernels, at the ends of the observed intervals, where all these operations are least and greatest.

#include "verify/observed/bounds.hpp"

#include "made.hpp"
#include "tensor/what_if.hpp"

namespace {

using namespace attn;
using test::bools;
using test::floats;
using namespace attn::verify;

bool is_number(const Interval& x) { return !std::isnan(x.low) && !std::isnan(x.high); }

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

const double infinity = std::numeric_limits<double>::infinity();

std::vector<Case> cases() {
  const Cells six = printed({0.43, 0.15, 0.89, -0.55, 0.87, 0.66});
  const Cells positive = printed({0.43, 0.15, 0.89, 0.55, 0.87, 0.66}, 0.005);
  const Tensor weights = floats({3, 2}, {0.2F, -0.7F, 1.5F, 0.25F, -3.0F, 0.125F});
  const Tensor mask = bools({3}, {0, 0, 1});
  const Tensor keep = bools({2, 3}, {1, 0, 1, 1, 1, 0});
  return {
      {"products", {2, 3}, six, [=](const Tensor& x) { return matmul(x, weights); }},
      {"linear",
       {2, 3},
       six,
       [=](const Tensor& x) {
         return linear(x, transpose(weights, 0, 1), floats({2}, {0.1F, 0.2F}), "m");
       }},
      {"sum", {2, 3}, six, [](const Tensor& x) { return sum(x); }},
      {"scaled", {2, 3}, six, [](const Tensor& x) { return divide(x, std::sqrt(2.0), "2**0.5"); }},
      {"product",
       {2, 3},
       six,
       [=](const Tensor& x) {
         return multiply(x, floats({2, 3}, {2, -3, 4, -5, 6, 7}));
       }},
      {"quotient",
       {2, 3},
       six,
       [=](const Tensor& x) {
         return divide(x, floats({2, 1}, {2, -3}));
       }},
      {"exponential", {2, 3}, six, [](const Tensor& x) { return exp(x); }},
      {"scaled queries", {2, 3}, six, [](const Tensor& x) { return scale_queries(x); }},
      {"roots", {2, 3}, positive, [](const Tensor& x) { return sqrt(x); }},
      {"scaled and shifted",
       {2, 3},
       six,
       [=](const Tensor& x) {
         return scale_and_shift(x, floats({3}, {2, -3, 4}), floats({3}, {0.1F, 0.2F, 0.3F}));
       }},
      {"softmax", {2, 3}, six, [](const Tensor& x) { return softmax(x); }},
      {"softmax of wide intervals",
       {2, 3},
       printed({0.4, 3.1, 0.9, -2.6, 0.9, 0.7}, 0.5),
       [](const Tensor& x) { return softmax(x); }},
      {"softmax over the rows", {2, 3}, six, [](const Tensor& x) { return softmax_over(x, 0); }},
      {"softmax of masked scores",
       {2, 3},
       six,
       [=](const Tensor& x) { return softmax(masked_fill(x, mask, -std::numeric_limits<float>::infinity())); }},
      {"kept and dropped", {2, 3}, six, [=](const Tensor& x) { return dropout(x, keep, 0.5); }},
      {"zeroed", {2, 3}, six, [=](const Tensor& x) { return kept(x, keep); }},
      {"views",
       {2, 3},
       six,
       [](const Tensor& x) {
         return stack(index(view(t(contiguous(x)), {3, 2}), 1), 2);
       }},
      {"side by side",
       {2, 3},
       six,
       [](const Tensor& x) {
         return cat({x, slice(x, -1, 0, 2)});
       }},
  };
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("numbers within the observed intervals give results within the bounds") {
    std::mt19937 random(1);
    for (const Case& one : cases()) {
      CAPTURE(std::string(one.name));
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
    }
  }

  TEST_CASE("the bounds are reached at the ends of the intervals") {
    for (const Case& one : cases()) {
      CAPTURE(std::string(one.name));
      const Cells bounds = bounds_of(one);
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
      const double near = 2e-6;
      for (std::size_t i = 0; i < bounds.size(); ++i) {
        CHECK(bounds[i].low == doctest::Approx(reached[i].low).epsilon(near));
        CHECK(bounds[i].high == doctest::Approx(reached[i].high).epsilon(near));
      }
    }
  }

  TEST_CASE("a whole layer: every number is within the bounds") {
    const auto project = [](const Tensor& x, std::vector<float> weights) {
      return matmul(x, floats({3, 2}, std::move(weights)));
    };
    const Case layer{
        "layer", {3, 3}, printed({0.43, 0.15, 0.89, 0.55, 0.87, 0.66, 0.57, 0.85, 0.64}), [&](const Tensor& x) {
          const Tensor queries = project(x, {0.3F, 0.5F, 0.1F, 0.8F, 0.2F, 0.7F});
          const Tensor keys = project(x, {0.1F, 0.4F, 0.6F, 0.2F, 0.3F, 0.9F});
          const Tensor causal = bools({3, 3}, {0, 1, 1, 0, 0, 1, 0, 0, 0});
          const Tensor scores = divide(matmul(queries, t(keys)), std::sqrt(2.0), "2**0.5");
          return matmul(softmax(masked_fill(scores, causal, -std::numeric_limits<float>::infinity())), x);
        }};
    const Cells bounds = bounds_of(layer);
    std::mt19937 random(2);
    for (int round = 0; round < 300; ++round) {
      std::vector<double> values;
      for (const Interval& cell : layer.cells) {
        values.push_back(std::uniform_real_distribution(cell.low, cell.high)(random));
      }
      const std::vector<double> made = made_of(layer, values);
      for (std::size_t i = 0; i < made.size(); ++i) {
        REQUIRE(made[i] >= bounds[i].low);
        REQUIRE(made[i] <= bounds[i].high);
        CHECK(bounds[i].high - bounds[i].low < 0.0005);
      }
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
    const auto hidden = -std::numeric_limits<float>::infinity();
    const Tensor weights = softmax(floats({2, 2}, {1, hidden, hidden, hidden}));
    Bounds bounds;
    CHECK(bounds.cell(weights, 1).high == 0);
    CHECK(bounds.cell(weights, 0).low == doctest::Approx(1));
    CHECK(!is_number(bounds.cell(weights, 2)));
  }
}
