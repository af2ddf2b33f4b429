#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/fused.hpp"
#include "tensor/portable_blas.hpp"

namespace attn::portable {
namespace {

using Index = std::int64_t;

/// Sums that are kept side by side.
template <std::size_t n>
using Lanes = std::array<float, n>;

/// lanes[i] += a[i] * b[i], rounded once.
template <std::size_t n>
void add_fused(const float* a, const float* b, Lanes<n>& lanes, std::size_t count = n) {
  for (std::size_t i = 0; i < count; ++i) {
    lanes[i] = fused(a[i], b[i], lanes[i]);
  }
}

/// lanes[i] += a[i] * b[i], the product rounded before the sum.
void add_rounded(const float* a, const float* b, Lanes<4>& lanes) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i] += a[i] * b[i];
  }
}

float sum(const Lanes<4>& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

Lanes<4> operator+(const Lanes<4>& a, const Lanes<4>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]};
}

/// The upper four lanes are added to the lower.
Lanes<4> folded(const Lanes<8>& lanes) {
  return Lanes<4>{lanes[0], lanes[1], lanes[2], lanes[3]} + Lanes<4>{lanes[4], lanes[5], lanes[6], lanes[7]};
}

// How OpenBLAS's sgemv multiplies a part of a row, of a multiple of 4 numbers, by that of the vector. It does four rows
// at a time, then two, then one, and each in its own order.

float among_four_rows(const float* row, const float* x, Index size) {
  Lanes<8> lanes{};
  Index j = 0;
  if (size % 8 != 0) {
    add_fused(row, x, lanes, 4);
    j = 4;
  }
  for (; j < size; j += 8) {
    add_fused(row + j, x + j, lanes);
  }
  return sum(folded(lanes));
}

float among_two_rows(const float* row, const float* x, Index size) {
  Lanes<4> lanes{};
  for (Index j = 0; j < size; j += 4) {
    add_rounded(row + j, x + j, lanes);
  }
  return sum(lanes);
}

float by_itself(const float* row, const float* x, Index size) {
  Lanes<4> lanes{};
  Lanes<4> others{};
  Index j = 0;
  if (size % 8 != 0) {
    add_rounded(row, x, lanes);
    j = 4;
  }
  for (; j < size; j += 8) {
    add_rounded(row + j, x + j, lanes);
    add_rounded(row + j + 4, x + j + 4, others);
  }
  return sum(lanes + others);
}

/// Up to three products are summed from left to right.
float of_rest(const float* row, const float* x, Index size) {
  float sum = row[0] * x[0];
  for (Index j = 1; j < size; ++j) {
    sum += row[j] * x[j];
  }
  return sum;
}

}  // namespace

void gemv(const float* a, Index rows, Index columns, const float* x, float* out) {
  std::fill_n(out, rows, 0.0F);
  constexpr Index block = 4096;
  const Index whole = columns / 4 * 4;
  for (Index begin = 0; begin < whole; begin += block) {
    const Index size = std::min(block, whole - begin);
    for (Index i = 0; i < rows; ++i) {
      const Index left = rows - i / 4 * 4;
      const auto product = left >= 4 ? among_four_rows : left >= 2 && i % 4 < 2 ? among_two_rows : by_itself;
      out[i] += product(a + i * columns + begin, x + begin, size);
    }
  }
  for (Index i = 0; i < rows && whole < columns; ++i) {
    out[i] += of_rest(a + i * columns + whole, x + whole, columns - whole);
  }
}

float dot_product(const float* a, const float* b, Index n) {
  // 1. Four times eight lanes, as far as they go.
  constexpr Index step = 32;
  std::array<Lanes<8>, 4> lanes{};
  const Index whole = n / step * step;
  for (Index i = 0; i < whole; i += step) {
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      const Index at = i + static_cast<Index>(8 * k);
      add_fused(a + at, b + at, lanes[k]);
    }
  }
  const float of_whole = sum((folded(lanes[0]) + folded(lanes[1])) + (folded(lanes[2]) + folded(lanes[3])));

  // 2. Rounded products of the rest, added in double.
  double rest = 0;
  for (Index i = whole; i < n; ++i) {
    rest += static_cast<double>(a[i] * b[i]);
  }
  return static_cast<float>(rest + static_cast<double>(of_whole));
}

}  // namespace attn::portable
