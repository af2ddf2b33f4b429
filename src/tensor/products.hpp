#pragma once

#include "tensor/array.hpp"
#include "tensor/kernels.hpp"

namespace attn {

/// The numbers of a @ b, chosen among gemm and a plain loop as PyTorch's matmul chooses.
/// Shapes: [m, k] @ [k, n], [k] @ [k, n], [..., m, k] @ [k, n], [..., m, k] @ [..., k, n].
Array product(const Array& a, const Array& b, Blas blas);

/// The numbers of x @ weightᵀ + bias for x [m, k], weight [n, k], bias [n]: one gemm that starts from the bias.
Array product_plus_bias(const Array& x, const Array& weight, const Array& bias, Blas blas);

}  // namespace attn
