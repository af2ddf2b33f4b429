#include "tensor/blas.hpp"

#include <algorithm>
#include <utility>
#include <vector>

// Must precede xblas.hpp: version 0.21 reads the setting too late and then multiplies with its own loops instead of
// BLAS.
#include <xtensor-blas/xblas_config.hpp>

#include <xtensor-blas/xblas.hpp>

#include "tensor/blas_kernels.hpp"
#include "tensor/portable_blas.hpp"

namespace attn {
namespace {

using BlasInt = int;

Matrix transposed(const Matrix& m) { return {m.data, m.columns, m.rows, m.column_stride, m.row_stride}; }

/// One factor in BLAS's form: column-major with a leading dimension, transposed or not.
struct Factor {
  Factor(const Matrix& m, bool copy_transposed) : data(m.data) {
    if (m.row_stride == 1 && m.column_stride >= std::max<std::int64_t>(1, m.rows)) {
      leading = m.column_stride;
    } else if (m.column_stride == 1 && m.row_stride >= std::max<std::int64_t>(1, m.columns)) {
      transpose = true;
      leading = m.row_stride;
    } else {
      transpose = copy_transposed;
      leading = copy_transposed ? m.columns : m.rows;
      copy.resize(static_cast<std::size_t>(m.rows * m.columns));
      for (std::int64_t i = 0; i < m.rows; ++i) {
        for (std::int64_t j = 0; j < m.columns; ++j) {
          const std::int64_t to = copy_transposed ? i * leading + j : j * leading + i;
          copy[static_cast<std::size_t>(to)] = m.data[i * m.row_stride + j * m.column_stride];
        }
      }
      data = copy.data();
    }
    leading = std::max<std::int64_t>(leading, transpose ? m.columns : m.rows);
  }

  cxxblas::Transpose flag() const { return transpose ? cxxblas::Trans : cxxblas::NoTrans; }

  const float* data;
  bool transpose = false;
  std::int64_t leading = 1;
  std::vector<float> copy;
};

}  // namespace

void gemm(Blas blas, const Matrix& a, const Matrix& b, float beta, float* out) {
  if (runnable(blas) == Blas::portable) {
    return portable::gemm(a, b, beta, out);
  }
  use_blas(blas);
  // In column-major order a row-major result is its own transpose: outᵀ = bᵀ aᵀ. A single column is both.
  const bool swap = b.columns != 1;
  const Matrix first_matrix = swap ? transposed(b) : a;
  const Matrix second_matrix = swap ? transposed(a) : b;
  const Factor first(first_matrix, !swap);
  const Factor second(second_matrix, !swap);
  cxxblas::gemm(cxxblas::ColMajor, first.flag(), second.flag(), static_cast<BlasInt>(first_matrix.rows),
                static_cast<BlasInt>(second_matrix.columns), static_cast<BlasInt>(first_matrix.columns), 1.0F,
                first.data, static_cast<BlasInt>(first.leading), second.data, static_cast<BlasInt>(second.leading),
                beta, out, static_cast<BlasInt>(first_matrix.rows));
}

void gemv(Blas blas, const float* a, std::int64_t rows, std::int64_t columns, const float* x, float* out) {
  if (runnable(blas) == Blas::portable) {
    return portable::gemv(a, rows, columns, x, out);
  }
  use_blas(blas);
  // One column is also column-major, which PyTorch checks first.
  const bool transpose = columns != 1;
  const std::int64_t m = transpose ? columns : rows;
  const std::int64_t n = transpose ? rows : columns;
  cxxblas::gemv(cxxblas::ColMajor, transpose ? cxxblas::Trans : cxxblas::NoTrans, static_cast<BlasInt>(m),
                static_cast<BlasInt>(n), 1.0F, a, static_cast<BlasInt>(m), x, 1, 0.0F, out, 1);
}

float dot_product(Blas blas, const float* a, const float* b, std::int64_t n) {
  if (runnable(blas) == Blas::portable) {
    return portable::dot_product(a, b, n);
  }
  use_blas(blas);
  float result = 0;
  cxxblas::dot(static_cast<BlasInt>(n), a, 1, b, 1, result);
  return result;
}

}  // namespace attn
