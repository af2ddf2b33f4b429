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

}  // namespace attn
