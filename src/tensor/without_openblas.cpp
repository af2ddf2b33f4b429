// A build with -DATTN_OPENBLAS=OFF has this file in the place of blas.cpp.
#include "tensor/blas.hpp"

namespace attn {

void gemm(Blas, const Matrix& a, const Matrix& b, float beta, float* out) { portable::gemm(a, b, beta, out); }

void gemv(Blas, const float* a, std::int64_t rows, std::int64_t columns, const float* x, float* out) {
  portable::gemv(a, rows, columns, x, out);
}

float dot_product(Blas, const float* a, const float* b, std::int64_t n) { return portable::dot_product(a, b, n); }

bool has_openblas() { return false; }

Blas runnable(Blas) { return Blas::portable; }

bool gives_bits_of(Blas wanted) { return bits_of(wanted) == Blas::haswell; }

Blas default_blas() { return Blas::portable; }

void use_blas(Blas) {}

std::int64_t room_for_products(int) { return 0; }

int threads_with_room(int wanted) { return wanted; }

std::string core_name(Blas) { return "portable"; }

}  // namespace attn
