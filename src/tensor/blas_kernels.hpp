#pragma once

#include <cstdint>
#include <string>

#include "tensor/kernels.hpp"

namespace attn {

/// Returns true if this program contains OpenBLAS; otherwise its only kernel set is Blas::portable.
bool has_openblas();

/// The kernel set that runs here if `wanted` is requested: that set, or the nearest if the processor lacks its
/// instructions.
Blas runnable(Blas wanted);

/// Returns true if `wanted` runs here, or another set that gives its bits.
bool gives_bits_of(Blas wanted);

/// The set used if none is requested: Blas::haswell, or the one that the environment variable OPENBLAS_CORETYPE names.
/// Without OpenBLAS: Blas::portable.
Blas default_blas();

/// Makes OpenBLAS compute a product of `work` multiplications with this set, or with the nearest one that runs here.
/// Blas::portable does not need it.
/// With Blas::native a large product is split among all cores, or the number of threads that the environment sets, as
/// under PyTorch. Other sets use one thread, so the number of cores does not affect the last bits. Throws
/// std::runtime_error if OpenBLAS has no memory to work in.
void use_blas(Blas wanted, double work);

/// The address space, in bytes, that products with this set need on that many threads besides their numbers; most of it
/// is never used. 0 once it is allocated.
std::int64_t room_for_products(Blas blas, int threads);

/// The number of threads, up to `wanted`, that can each compute a product at the same time: each needs memory for
/// OpenBLAS to work in.
int threads_with_room(int wanted);

/// The name of the kernels that run on this processor if `blas` is requested: OpenBLAS's ("Haswell", "Zen"), or
/// "portable".
std::string core_name(Blas blas);

}  // namespace attn
