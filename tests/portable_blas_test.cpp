#include "tensor/blas.hpp"

#include "tensor/math.hpp"
#include "unit.hpp"

using namespace attn;

namespace {

/// How many shapes are tried: ATTN_BLAS_SHAPES=20000 build/release/tests/unit_tests --source-file='*portable*'
std::size_t shapes() { return test::environment_number("ATTN_BLAS_SHAPES", 600); }

bool has_haswell() {
  const bool has = runnable(Blas::haswell) == Blas::haswell;
  if (!has) {
    MESSAGE("nothing to compare with: OpenBLAS's haswell kernels cannot run here");
  }
  return has;
}

class Random {
 public:
  explicit Random(std::size_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}

  std::int64_t below(std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(engine_); }
  bool one_in(std::int64_t n) { return below(n) == 0; }

  /// Often small, or near a size where the kernels do something else.
  std::int64_t size(std::int64_t most) {
    constexpr std::array near = {8, 12, 16, 24, 32, 320, 640, 960, 4096};
    switch (below(4)) {
      case 0: return 1 + below(std::min<std::int64_t>(most, 8));
      case 1: return 1 + below(std::min<std::int64_t>(most, 60));
      case 2: return std::min<std::int64_t>(most, near[static_cast<std::size_t>(below(near.size()))] - 2 + below(5));
      default: return 1 + below(most);
    }
  }

  std::vector<float> numbers(std::int64_t count) {
    const bool is_special = one_in(10);
    std::uniform_real_distribution<float> usual(-1, 1);
    std::vector<float> numbers(static_cast<std::size_t>(count));
    std::ranges::generate(numbers, [&] { return is_special && one_in(20) ? special() : usual(engine_); });
    return numbers;
  }

 private:
  float special() {
    constexpr float inf = std::numeric_limits<float>::infinity();
    constexpr std::array all = {
        0.0F, -0.0F, inf, -inf, 1e-38F, -3e-39F, 1e-45F, 3e38F, std::numeric_limits<float>::quiet_NaN()};
    return all[static_cast<std::size_t>(below(all.size()))];
  }

  std::mt19937 engine_;
};

/// Whether all bits are the same; NaN is NaN.
bool are_same(std::span<const float> a, std::span<const float> b) {
  return std::ranges::equal(a, b, [](float one, float other) {
    return std::bit_cast<std::uint32_t>(one) == std::bit_cast<std::uint32_t>(other) ||
           (std::isnan(one) && std::isnan(other));
  });
}

/// A matrix in memory with room beside its rows or, if transposed, its columns.
Matrix laid_out(const std::vector<float>& numbers, std::int64_t rows, std::int64_t columns, bool is_transposed,
                std::int64_t room) {
  return is_transposed ? Matrix{numbers.data(), rows, columns, 1, rows + room}
                       : Matrix{numbers.data(), rows, columns, columns + room, 1};
}

void compare_products(Random& random, std::int64_t most) {
  const std::int64_t rows = random.size(most);
  const std::int64_t inner = random.size(most);
  const std::int64_t columns = random.size(most);
  const std::int64_t room = random.one_in(3) ? random.below(5) : 0;
  const bool is_a_transposed = random.one_in(2);
  const bool is_b_transposed = random.one_in(2);
  const float beta = random.one_in(3) ? 1 : 0;
  const std::vector<float> a = random.numbers((rows + room) * (inner + room));
  const std::vector<float> b = random.numbers((inner + room) * (columns + room));
  std::vector<float> expected = random.numbers(rows * columns);
  std::vector<float> ours = expected;
  const Matrix left = laid_out(a, rows, inner, is_a_transposed, room);
  const Matrix right = laid_out(b, inner, columns, is_b_transposed, room);
  gemm(Blas::haswell, left, right, beta, expected.data());
  gemm(Blas::portable, left, right, beta, ours.data());
  CAPTURE(rows);
  CAPTURE(inner);
  CAPTURE(columns);
  CAPTURE(room);
  CAPTURE(is_a_transposed);
  CAPTURE(is_b_transposed);
  CAPTURE(beta);
  CHECK(are_same(ours, expected));
}

}  // namespace

TEST_CASE("a product has every bit of OpenBLAS's") {
  if (!has_haswell()) {
    return;
  }
  for (std::size_t row = 0; row < shapes(); ++row) {
    if (test::is_in_sample(row)) {
      Random random(row);
      compare_products(random, row % 20 == 0 ? 1000 : 60);
    }
  }
}

TEST_CASE("a long product has every bit of OpenBLAS's") {
  if (!has_haswell()) {
    return;
  }
  const std::vector<std::array<std::int64_t, 3>> sizes = {{104'513, 9, 9},   {104'520, 33, 17}, {209'030, 9, 12},
                                                          {104'519, 330, 5}, {150'000, 20, 1},  {1, 9, 150'000}};
  for (std::size_t row = 0; row < sizes.size(); ++row) {
    if (!test::is_in_sample(row)) {
      continue;
    }
    CAPTURE(sizes[row][0]);
    const auto [rows, inner, columns] = sizes[row];
    Random random(row);
    const std::vector<float> a = random.numbers(rows * inner);
    const std::vector<float> b = random.numbers(inner * columns);
    std::vector<float> expected(static_cast<std::size_t>(rows * columns));
    std::vector<float> ours = expected;
    gemm(Blas::haswell, {a.data(), rows, inner, inner, 1}, {b.data(), inner, columns, columns, 1}, 0, expected.data());
    gemm(Blas::portable, {a.data(), rows, inner, inner, 1}, {b.data(), inner, columns, columns, 1}, 0, ours.data());
    CHECK(are_same(ours, expected));
  }
}

TEST_CASE("a matrix times a vector, and a dot product, have every bit of OpenBLAS's") {
  if (!has_haswell()) {
    return;
  }
  for (std::size_t row = 0; row < shapes(); ++row) {
    if (!test::is_in_sample(row)) {
      continue;
    }
    Random random(row);
    const std::int64_t rows = random.size(row % 20 == 0 ? 5000 : 40);
    const std::int64_t columns = random.size(row % 20 == 1 ? 9000 : 300);
    const std::vector<float> a = random.numbers(rows * columns);
    const std::vector<float> x = random.numbers(columns);
    std::vector<float> expected = random.numbers(rows);
    std::vector<float> ours = random.numbers(rows);
    gemv(Blas::haswell, a.data(), rows, columns, x.data(), expected.data());
    gemv(Blas::portable, a.data(), rows, columns, x.data(), ours.data());
    CAPTURE(rows);
    CAPTURE(columns);
    CHECK(are_same(ours, expected));
    const float dot = dot_product(Blas::haswell, a.data(), x.data(), columns);
    const float our_dot = dot_product(Blas::portable, a.data(), x.data(), columns);
    CHECK(are_same(std::span(&our_dot, 1), std::span(&dot, 1)));
  }
}

TEST_CASE("a fused multiply-add from doubles has every bit of the C library's") {
  std::mt19937 engine(static_cast<std::uint32_t>(test::environment_number("ATTN_TEST_DAY", 1)));
  const auto any = [&] { return std::bit_cast<float>(static_cast<std::uint32_t>(engine())); };
  // Few bits, and exponents near those of subnormal numbers: sums that lie just between two floats.
  const auto few = [&] {
    return std::bit_cast<float>(static_cast<std::uint32_t>(engine()) & 0x80FFF000U) *
           (engine() % 2 == 0 ? 1.0F : 0x1p60F);
  };
  std::size_t different = 0;
  for (std::size_t i = 0; i < 1000 * shapes(); ++i) {
    const float a = i % 2 == 0 ? any() : few();
    const float b = i % 3 == 0 ? any() : 1 + few();
    const float c = i % 5 == 0   ? -(a * b)
                    : i % 5 == 1 ? few()
                                 : std::ldexp(a * b, static_cast<int>(engine() % 60) - 30);
    const float ours = FusedByDoubles()(a, b, c);
    const float expected = std::fma(a, b, c);
    different += are_same(std::span(&ours, 1), std::span(&expected, 1)) ? 0U : 1U;
  }
  CHECK(different == 0);
}
