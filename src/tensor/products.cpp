#include "tensor/products.hpp"

#include <algorithm>
#include <utility>

#include "tensor/blas.hpp"

namespace attn {
namespace {

/// Below this number of multiplications PyTorch's bmm is a plain loop (at::native::bmm_out_or_baddbmm_).
constexpr std::int64_t loop_limit = 400;

/// A matrix [m, k], seen in the last two axes of an array.
Matrix matrix(const Array& array) {
  const std::size_t n = array.shape.size();
  return {array.floats(), array.shape[n - 2], array.shape[n - 1], array.strides[n - 2], array.strides[n - 1]};
}

Array unsqueezed(const Array& vector) {
  return Array(vector, {1, vector.shape[0]}, {vector.shape[0] * vector.strides[0], vector.strides[0]}, vector.offset);
}

Array transposed(const Array& m) { return Array(m, {m.shape[1], m.shape[0]}, {m.strides[1], m.strides[0]}, m.offset); }

/// [m, k] @ [k, n], written in the given shape.
Array matrix_product(const Array& a, const Array& b, const Shape& shape, Blas blas) {
  Block<float> out(shape);
  gemm(blas, matrix(a), matrix(b), 0, out.data());
  return Array(std::move(out));
}

/// Multiply, then add, not fused; k ascending.
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

}  // namespace

Range product_rows(Range wanted, const ProductSizes& sizes, Blas blas) {
  // OpenBLAS's kernels take 12 rows at a time (Haswell), or 4 or 24 (others), and what a strip's sums are depends on no
  // other. Below a million multiplications some take another way, and beyond so many rows they begin anew.
  constexpr std::int64_t strip = 24;
  constexpr std::int64_t least = std::int64_t{1} << 20;
  constexpr std::int64_t most_rows = std::int64_t{1} << 16;
  const Range all = {0, sizes.rows};
  const std::int64_t row = sizes.inner * sizes.columns;
  const bool is_known = blas != Blas::native && blas != Blas::environment;
  if (!is_known || sizes.columns < 2 || sizes.rows > most_rows || sizes.rows < 2 * strip || row == 0) {
    return all;
  }
  const std::int64_t step = (least / row / strip + 1) * strip;
  const std::int64_t end = (wanted.end + step - 1) / step * step;
  const bool has_end = end + step > sizes.rows;  // a rest would be too small
  const std::int64_t last = std::max<std::int64_t>(0, sizes.rows / step - 1) * step;
  return {std::min(wanted.begin / step * step, last), has_end ? sizes.rows : end};
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
  return matrix_product(reshape(a, {a.count() / k, k}), b, shape, blas);
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
