#include "tensor/blas.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <span>
#include <utility>

namespace attn {
namespace {

/// PyTorch's bmm uses a plain loop below this number of multiplications (at::native::bmm_out_or_baddbmm_).
constexpr std::int64_t loop_limit = 400;

/// A matrix [m, k] from the last two axes of an array.
Matrix matrix(const Array& array) {
  const std::size_t n = array.shape.size();
  return {array.floats(), array.shape[n - 2], array.shape[n - 1], array.strides[n - 2], array.strides[n - 1]};
}

Array unsqueezed(const Array& vector) {
  return Array(vector, {1, vector.shape[0]}, {vector.shape[0] * vector.strides[0], vector.strides[0]}, vector.offset);
}

Array transposed(const Array& m) { return Array(m, {m.shape[1], m.shape[0]}, {m.strides[1], m.strides[0]}, m.offset); }

/// [m, k] @ [k, n], stored in the given shape.
Array matrix_product(const Array& a, const Array& b, const Shape& shape, Blas blas) {
  Block<float> out(shape);
  gemm(blas, matrix(a), matrix(b), 0, out.data());
  return Array(std::move(out));
}

/// Multiplies, then adds, not fused; k ascending.
void loop_product(const Matrix& a, const Matrix& b, float* out) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < b.columns; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < a.columns; ++k) {
        sum += a.data[i * a.row_stride + k * a.column_stride] * b.data[k * b.row_stride + j * b.column_stride];
      }
      *out++ = sum;
    }
  }
}

/// [..., m, k] @ [..., k, n] with equal leading axes.
Array batched_product(const Array& a, const Array& b, Blas blas) {
  Shape shape = a.shape;
  shape.back() = b.shape.back();
  const std::int64_t m = shape[shape.size() - 2];
  const std::int64_t n = shape.back();
  const std::int64_t k = a.shape.back();
  const std::int64_t batches = element_count(shape) / (m * n);
  const Array left = reshape(a, {batches, m, k});
  const Array right = reshape(b, {batches, k, n});
  Block<float> out(shape);
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    Matrix x = matrix(left);
    Matrix y = matrix(right);
    x.data += batch * left.strides[0];
    y.data += batch * right.strides[0];
    float* result = out.data() + batch * m * n;
    if (m * n * k < loop_limit) {
      loop_product(x, y, result);
    } else {
      gemm(blas, x, y, 0, result);
    }
  }
  return Array(std::move(out));
}

/// The number of rows after which OpenBLAS starts its strips again, detected from the bits of a product whose rows are
/// all the same. If the bits do not show it, more rows than any product has.
std::int64_t rows_of_block(Blas blas) {
  constexpr std::int64_t rows = std::int64_t{1} << 18;
  constexpr std::int64_t inner = 16;
  Block<float> a({rows, inner});
  Block<float> b({inner, inner});
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = 1.0F / static_cast<float>(3 + i % static_cast<std::size_t>(inner));
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = 1.0F / static_cast<float>(7 + i);
  }
  const Array product = matrix_product(Array(std::move(a)), Array(std::move(b)), {rows, inner}, blas);
  // 1. A row has the bits of its place in the first strip, until the last strip of the block.
  constexpr std::int64_t rows_of_strip = 12;
  const auto row_at = [&](std::int64_t row) { return std::span(product.floats() + row * inner, inner); };
  const auto is_like = [&](std::int64_t row, std::int64_t other) {
    return std::ranges::equal(row_at(row), row_at(other));
  };
  std::int64_t other = 0;
  while (other < rows - rows_of_strips && is_like(other, other % rows_of_strip)) {
    ++other;
  }
  if (other == rows - rows_of_strips) {
    return std::numeric_limits<std::int64_t>::max();
  }
  // 2. Find the row from which on the bits repeat those of the first rows.
  const auto is_begin = [&](std::int64_t row) {
    bool is_like_first = row % rows_of_strip != 0;
    for (std::int64_t i = 0; i < rows_of_strips; ++i) {
      is_like_first = is_like_first && is_like(row + i, i);
    }
    return is_like_first;
  };
  std::int64_t begin = std::max<std::int64_t>(1, other - rows_of_strip);
  while (begin < rows - rows_of_strips && !is_begin(begin)) {
    ++begin;
  }
  return begin;
}

}  // namespace

Range product_rows(Range wanted, const ProductSizes& sizes, Blas blas) {
  // OpenBLAS's kernels process 12 rows at a time (Haswell) or 24 (SkylakeX), and a strip's sums depend on no other
  // strip. Below a million multiplications some kernels use another algorithm.
  constexpr std::int64_t least = std::int64_t{1} << 20;
  constexpr std::int64_t surely_one_block = std::int64_t{1} << 16;
  const Range all = {0, sizes.rows};
  const std::int64_t row = sizes.inner * sizes.columns;
  if (sizes.columns < 2 || row == 0) {
    return all;
  }
  Range block = all;
  if (sizes.rows > surely_one_block) {
    static std::map<Blas, std::int64_t> known;
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    const auto found = known.contains(blas) ? known.find(blas) : known.emplace(blas, rows_of_block(blas)).first;
    block.begin = wanted.begin / found->second * found->second;
    block.end = sizes.rows - block.begin > found->second ? block.begin + found->second : sizes.rows;
  }
  const std::int64_t step = (least / row / rows_of_strips + 1) * rows_of_strips;
  if (block.size() < step || wanted.end > block.end) {
    return all;
  }
  const std::int64_t end = block.begin + (wanted.end - block.begin + step - 1) / step * step;
  const std::int64_t begin = block.begin + (wanted.begin - block.begin) / step * step;
  const std::int64_t last = block.begin + (block.size() / step - 1) * step;  // the remainder alone would be too small
  return {std::min(begin, last), end + step > block.end ? block.end : end};
}

Array product(const Array& a, const Array& b, Blas blas) {
  if (a.shape.size() == 1) {
    return matrix_product(unsqueezed(a), b, {b.shape[1]}, blas);
  }
  if (b.shape.size() > 2) {
    return batched_product(a, b, blas);
  }
  Shape shape = a.shape;
  shape.back() = b.shape[1];
  const std::int64_t k = a.shape.back();
  const Array rows = a.shape.size() == 2 ? a : reshape(a, {a.count() / k, k});  // a row of a column has its strides
  return matrix_product(rows, b, shape, blas);
}

Array product_plus_bias(const Array& x, const Array& weight, const Array& bias, Blas blas) {
  const std::int64_t n = weight.shape[0];
  const Array row = bias.contiguous();
  Block<float> out({x.shape[0], n});
  for (std::int64_t i = 0; i < x.shape[0]; ++i) {
    std::copy_n(row.floats(), n, out.data() + i * n);
  }
  gemm(blas, matrix(x), matrix(transposed(weight)), 1, out.data());
  return Array(std::move(out));
}

}  // namespace attn
