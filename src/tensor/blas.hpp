#pragma once

#include <cstdint>

#include "tensor/kernels.hpp"

namespace attn {

/// A matrix somewhere in memory: element (i, j) is data[i * row_stride + j * column_stride].
struct Matrix {
  const float* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// out = a @ b + beta * out with OpenBLAS's sgemm, called as PyTorch's addmm_impl_cpu_ calls it: out is
/// row-major [a.rows, b.columns]; the strides decide which operand is handed over transposed. The sums'
/// last bits depend on which of the two factors BLAS gets first, so the choice is part of the result.
void gemm(Blas blas, const Matrix& a, const Matrix& b, float beta, float* out);

/// out = a @ x with OpenBLAS's sgemv, called as PyTorch's addmv calls it: a is row-major [rows, columns].
void gemv(Blas blas, const float* a, std::int64_t rows, std::int64_t columns, const float* x, float* out);

/// OpenBLAS's sdot over two contiguous vectors.
float dot_product(Blas blas, const float* a, const float* b, std::int64_t n);

}  // namespace attn
