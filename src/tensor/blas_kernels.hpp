#pragma once

#include <cstdint>
#include <string>

#include "tensor/kernels.hpp"

namespace attn {

/// The set of kernels that runs on this processor where `wanted` is asked for: that one, or where the processor lacks
/// its instructions, the nearest.
Blas runnable(Blas wanted);

/// The set that is used where nobody asks for one: Blas::haswell, or what the environment variable OPENBLAS_CORETYPE
/// names.
Blas default_blas();

/// Makes OpenBLAS compute with this set, or the nearest that runs here, a product of `work` multiplications. With
/// Blas::native a large product is split among all cores, or as many threads as the environment says, as under
/// PyTorch; else there is one thread, and no number of cores reaches the last bits. Throws
/// std::runtime_error where there is no memory for OpenBLAS to work in.
void use_blas(Blas wanted, double work);

/// The address space that products with that set take on so many threads besides their numbers, in bytes, most of it
/// never used; 0 once they have it.
std::int64_t room_for_products(Blas blas, int threads);

/// As many threads of those wanted as can multiply at once, one product each: each needs memory for OpenBLAS to work
/// in.
int threads_with_room(int wanted);

/// What OpenBLAS calls the kernels that run on this processor where `blas` is asked for: "Haswell", "Zen".
std::string core_name(Blas blas);

}  // namespace attn
