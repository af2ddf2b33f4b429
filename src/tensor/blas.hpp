#pragma once

#include <cstdint>

#include "tensor/kernels.hpp"

namespace attn {

/// A matrix in memory: element (i, j) is data[i * row_stride + j * column_stride].
struct Matrix {
  const float* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

// Each computes what OpenBLAS's function gives with the kernel set that runs here for `blas`.

/// out = a @ b + beta * out as sgemm does, called as PyTorch's addmm_impl_cpu_ calls it: out is row-major
/// [a.rows, b.columns]; the strides decide which operand is passed transposed. The sums' last bits depend on the order
/// of the two factors, so that choice is part of the result. beta is 0 or 1.
void gemm(Blas blas, const Matrix& a, const Matrix& b, float beta, float* out);

/// out = a @ x as sgemv does, called as PyTorch's addmv calls it: a is row-major [rows, columns].
void gemv(Blas blas, const float* a, std::int64_t rows, std::int64_t columns, const float* x, float* out);

/// Computes the dot product of two contiguous vectors as sdot does.
float dot_product(Blas blas, const float* a, const float* b, std::int64_t n);

}  // namespace attn
