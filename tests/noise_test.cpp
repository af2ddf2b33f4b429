// What float32 rounding changes in a computation, and what it does not.

#include "tensor/operations.hpp"

#include "made.hpp"
#include "verify/observed/observed.hpp"
#include "verify/port/operands.hpp"

namespace {

using namespace attn;
using namespace attn::verify;

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

  TEST_CASE("what is given or no float32 has none") {
    Noise noise;
    CHECK(noise.at(normal_numbers({3, 3}, 4), 0) == 0);
  }
}

}  // namespace
