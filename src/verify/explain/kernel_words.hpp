#pragma once

#include <string>

#include "verify/explain/explanation.hpp"

namespace attn::verify {

/// "avx2 kernels"
std::string cpu_words(const Explanation& explanation);
/// "OpenBLAS's haswell kernels"
std::string blas_words(const Explanation& explanation);
/// "MKL dropout kernel"
std::string dropout_words(const Explanation& explanation);

/// "these are the numbers of PyTorch's MKL dropout kernel": how `whose` differs from `other`.
std::string whose_numbers(const Explanation& whose, const Explanation& other);

}  // namespace attn::verify
