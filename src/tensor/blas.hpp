#pragma once

#include <cstdint>
#include <string>

#include "tensor/array.hpp"
#include "tensor/kernels.hpp"
#include "tensor/tensor.hpp"

namespace attn {

/// Returns true if this program contains OpenBLAS; otherwise its only kernel set is Blas::portable.
bool has_openblas();

/// The kernel set that runs here if `wanted` is requested: that set, or the nearest if the processor lacks its
/// instructions.
Blas runnable(Blas wanted);

/// Returns true if `wanted` runs here, or another set that gives its bits.
bool gives_bits_of(Blas wanted);

/// The set used if none is requested: Blas::haswell, or Blas::skylakex if the environment variable OPENBLAS_CORETYPE
/// names it. Without OpenBLAS: Blas::portable.
Blas default_blas();

/// Makes OpenBLAS compute products with this set, or with the nearest one that runs here. Blas::portable does not need
/// it. Throws std::runtime_error if OpenBLAS has no memory to work in.
void use_blas(Blas wanted);

/// The address space, in bytes, that products on that many threads need besides their numbers; most of it is never
/// used. 0 once it is allocated.
std::int64_t room_for_products(int threads);

/// The number of threads, up to `wanted`, that can each compute a product at the same time: each needs memory for
/// OpenBLAS to work in.
int threads_with_room(int wanted);

/// The name of the kernels that run on this processor if `blas` is requested: OpenBLAS's ("Haswell"), or "portable".
std::string core_name(Blas blas);

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

/// The sizes of a product: [rows, inner] @ [inner, columns].
struct ProductSizes {
  std::int64_t rows;
  std::int64_t inner;
  std::int64_t columns;
};

/// A multiple of the number of rows that any product kernel processes together.
inline constexpr std::int64_t rows_of_strips = 24;

/// The rows around the wanted ones for which BLAS gives the same bits separately as among all rows: whole strips of its
/// kernels.
Range product_rows(Range wanted, const ProductSizes& sizes, Blas blas);

/// The numbers of a @ b, computed with gemm or a plain loop as in PyTorch's matmul.
/// Shapes: [m, k] @ [k, n], [k] @ [k, n], [..., m, k] @ [k, n], [..., m, k] @ [..., k, n].
Array product(const Array& a, const Array& b, Blas blas);

/// The numbers of x @ weightᵀ + bias for x [m, k], weight [n, k], bias [n]: one gemm that starts from the bias.
Array product_plus_bias(const Array& x, const Array& weight, const Array& bias, Blas blas);

}  // namespace attn

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
