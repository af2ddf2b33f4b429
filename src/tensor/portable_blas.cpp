#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "tensor/blas.hpp"
#include "tensor/math.hpp"

// An element of a product is a sum over its depth, which is cut into blocks. Within a block it is one chain of fused
// multiply-adds, or two: one for the even and one for the odd products. Which of them follows from the tile that has
// the element: OpenBLAS computes 6 rows of 16 columns with one chain, and 4 or 6 rows of 8 columns with two.

namespace attn::portable {
namespace {

using Index = std::int64_t;

// The blocks into which OpenBLAS cuts a product for Haswell's caches.
constexpr Index block_depth = 320;
constexpr Index block_columns = 320;
constexpr Index block_rows = 104'512;
constexpr Index tile_columns = 8;

/// The part [begin, begin + size) of an axis.
struct Part {
  Index begin;
  Index size;
};

/// Cuts an axis into blocks; what is left in the end and is more than one is halved, the first half a multiple of 8.
std::vector<Part> blocks(Index size, Index block) {
  std::vector<Part> parts;
  for (Index begin = 0; begin < size; begin += parts.back().size) {
    const Index left = size - begin;
    const Index half = (left / 2 + 7) / 8 * 8;
    parts.push_back({begin, left >= 2 * block ? block : left > block ? half : left});
  }
  return parts;
}

/// Rows that are computed together, and what decides their chains.
struct Rows {
  enum class Chains { one, two, upper_of_twelve, lower_of_twelve };
  Part part;
  Chains chains;
};

/// Cuts rows into strips of 12, 8, 4, 2 and 1. Beside the first block of columns there are no strips of 8, since it is
/// computed while the rows are copied, 4 at a time.
std::vector<Rows> strips(Part rows, bool is_first_block) {
  std::vector<Rows> strips;
  const Index end = rows.begin + rows.size;
  Index begin = rows.begin;
  const auto add = [&](Index size, Rows::Chains chains) {
    strips.push_back({{begin, size}, chains});
    begin += size;
  };
  while (end - begin >= 12) {
    add(6, Rows::Chains::upper_of_twelve);
    add(6, Rows::Chains::lower_of_twelve);
  }
  if (end - begin >= 8 && !is_first_block) {
    add(4, Rows::Chains::one);
    add(4, Rows::Chains::one);
  }
  while (end - begin >= 4) {
    add(4, Rows::Chains::two);
  }
  if (end - begin >= 2) {
    add(2, Rows::Chains::one);
  }
  if (end > begin) {
    add(1, Rows::Chains::one);
  }
  return strips;
}

/// Returns true if a tile has two chains. `tiles` counts the whole ones of the block of columns.
bool has_two_chains(Rows::Chains chains, Index tile, Index tiles) {
  const bool is_last = tile == tiles - 1;
  switch (chains) {
    case Rows::Chains::one: return false;
    case Rows::Chains::two: return tile < tiles;
    // Beside 12 rows, tiles with one chain go in pairs; the upper rows' first pair begins at the second tile.
    case Rows::Chains::upper_of_twelve: return tiles > 1 && (tile == 0 || (is_last && tiles % 2 == 0));
    case Rows::Chains::lower_of_twelve: return tiles > 1 && is_last && tiles % 2 == 1;
  }
  return false;
}

/// What a kernel multiplies: `rows` factors and a tile's 8 for each step of the depth.
struct Tile {
  const float* rows;
  const float* columns;
  Index depth;
  Index width;  ///< the columns that the product has, up to 8
};

/// Adds the product of a tile to `out`, whose rows are `stride` apart.
template <class Fuse, std::size_t rows, bool has_two>
[[gnu::always_inline]] inline void add_tile(const Tile& tile, float* out, Index stride) {
  constexpr Fuse fuse;
  float sums[has_two ? 2 : 1][rows][tile_columns] = {};
  const float* factors = tile.rows;
  const float* columns = tile.columns;
  const auto add_step = [&](auto& chain) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 1  // unrolled before it is vectorised, it would not be
      for (std::size_t j = 0; j < tile_columns; ++j) {
        chain[i][j] = fuse(factors[i], columns[j], chain[i][j]);
      }
    }
    factors += rows;
    columns += tile_columns;
  };
  Index k = 0;
  if constexpr (has_two) {
    for (; k < tile.depth / 8 * 8; k += 2) {
      add_step(sums[0]);
      add_step(sums[1]);
    }
  }
  for (; k < tile.depth; ++k) {
    add_step(sums[0]);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (Index j = 0; j < tile.width; ++j) {
      const float sum = sums[0][i][j];
      out[static_cast<Index>(i) * stride + j] += has_two ? sum + sums[has_two ? 1 : 0][i][j] : sum;
    }
  }
}

template <class Fuse>
[[gnu::always_inline]] inline void add_tile(const Tile& tile, Index rows, bool has_two, float* out, Index stride) {
  switch (rows) {
    case 6: return has_two ? add_tile<Fuse, 6, true>(tile, out, stride) : add_tile<Fuse, 6, false>(tile, out, stride);
    case 4: return has_two ? add_tile<Fuse, 4, true>(tile, out, stride) : add_tile<Fuse, 4, false>(tile, out, stride);
    case 2: return add_tile<Fuse, 2, false>(tile, out, stride);
    default: return add_tile<Fuse, 1, false>(tile, out, stride);
  }
}

void add_tile_anywhere(const Tile& tile, Index rows, bool has_two, float* out, Index stride) {
#if defined(FP_FAST_FMAF)
  add_tile<Fused>(tile, rows, has_two, out, stride);
#else  // no instruction: calls of the C library would be slower
  add_tile<FusedByDoubles>(tile, rows, has_two, out, stride);
#endif
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void add_tile_avx2(const Tile& tile, Index rows, bool has_two, float* out, Index stride) {
  add_tile<Fused>(tile, rows, has_two, out, stride);
}
#endif

auto tile_adder() {
#if defined(__x86_64__)
  if (has_avx2()) {
    return add_tile_avx2;
  }
#endif
  return add_tile_anywhere;
}

/// Copies columns of a matrix to `to`, `width` numbers for each row; those beyond the columns are left alone.
void copy(const Matrix& m, Part rows, Part columns, Index width, float* to) {
  for (Index i = 0; i < rows.size; ++i) {
    const float* const row = m.data + (rows.begin + i) * m.row_stride + columns.begin * m.column_stride;
    for (Index j = 0; j < columns.size; ++j) {
      to[i * width + j] = row[j * m.column_stride];
    }
  }
}

Matrix transposed(const Matrix& m) { return {m.data, m.columns, m.rows, m.column_stride, m.row_stride}; }

/// Adds the product of a @ b's blocks to out.
void add_block(const Matrix& a, const Matrix& b, Part all_rows, Part depth, Part columns, float* out) {
  const auto add = tile_adder();
  const Index tiles = columns.size / tile_columns;
  const Index tiles_and_rest = (columns.size + tile_columns - 1) / tile_columns;
  std::vector<float> panel(static_cast<std::size_t>(tiles_and_rest * tile_columns * depth.size));
  const auto tile_at = [&](Index tile) { return panel.data() + tile * tile_columns * depth.size; };
  const auto part_of = [&](Index tile) {
    return Part{columns.begin + tile * tile_columns, std::min(tile_columns, columns.size - tile * tile_columns)};
  };
  for (Index tile = 0; tile < tiles_and_rest; ++tile) {
    copy(b, depth, part_of(tile), tile_columns, tile_at(tile));
  }
  std::vector<float> factors(static_cast<std::size_t>(6 * depth.size));
  for (const Rows& rows : strips(all_rows, columns.begin == 0)) {
    copy(transposed(a), depth, rows.part, rows.part.size, factors.data());
    for (Index tile = 0; tile < tiles_and_rest; ++tile) {
      const Part part = part_of(tile);
      add({factors.data(), tile_at(tile), depth.size, part.size}, rows.part.size,
          has_two_chains(rows.chains, tile, tiles), out + rows.part.begin * b.columns + part.begin, b.columns);
    }
  }
}

/// out += a @ b
void add_product(const Matrix& a, const Matrix& b, float* out) {
  for (Index begin = 0; begin < a.rows; begin += block_rows) {
    const Part rows = {begin, std::min(block_rows, a.rows - begin)};
    for (const Part depth : blocks(a.columns, block_depth)) {
      for (const Part columns : blocks(b.columns, block_columns)) {
        add_block(a, b, rows, depth, columns, out);
      }
    }
  }
}

}  // namespace

void gemm(const Matrix& a, const Matrix& b, float beta, float* out) {
  if (beta == 0) {
    std::fill_n(out, a.rows * b.columns, 0.0F);
  }
  // A single column is computed as a single row.
  if (b.columns == 1) {
    add_product(transposed(b), transposed(a), out);
  } else {
    add_product(a, b, out);
  }
}

namespace {

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
