#include "tensor/processor.hpp"

#if defined(__x86_64__) && defined(__has_include) && !defined(__clang__)  // clang does not accept the header as C++
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

// The C library has already queried the processor. The compiler's functions query it again, which is slow in a virtual
// machine.
#if defined(CPU_FEATURE_ACTIVE)
#define ATTN_RUNS(compilers, librarys) CPU_FEATURE_ACTIVE(librarys)
#elif defined(__x86_64__)
#define ATTN_RUNS(compilers, librarys) (__builtin_cpu_init(), __builtin_cpu_supports(compilers) != 0)
#else
#define ATTN_RUNS(compilers, librarys) false
#endif

namespace attn {

bool has_avx2() { return ATTN_RUNS("avx2", AVX2) && ATTN_RUNS("fma", FMA); }

bool has_avx512() {
  return has_avx2() && ATTN_RUNS("avx512f", AVX512F) && ATTN_RUNS("avx512cd", AVX512CD) &&
         ATTN_RUNS("avx512bw", AVX512BW) && ATTN_RUNS("avx512dq", AVX512DQ) && ATTN_RUNS("avx512vl", AVX512VL);
}

}  // namespace attn
