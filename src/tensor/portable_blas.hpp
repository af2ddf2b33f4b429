#pragma once

#include <cstdint>

#include "tensor/blas.hpp"

/// What the functions of the same names compute with OpenBLAS's Haswell kernels (0.3.21, one thread), in plain C++:
/// every bit, on any processor. Only the order of the sums matters; `tests/portable_blas_test.cpp` compares it with
/// OpenBLAS's.
namespace attn::portable {

/// out = a @ b + beta * out; beta is 0 or 1.
void gemm(const Matrix& a, const Matrix& b, float beta, float* out);

/// out = a @ x; a is row-major [rows, columns].
void gemv(const float* a, std::int64_t rows, std::int64_t columns, const float* x, float* out);

float dot_product(const float* a, const float* b, std::int64_t n);

}  // namespace attn::portable
