#pragma once

#include "tensor/array.hpp"
#include "tensor/kernels.hpp"
#include "tensor/part.hpp"

namespace attn {

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
