#pragma once

/// Instructions that both the processor and the system support.
namespace attn {

bool has_avx2();  ///< and FMA
bool has_avx512();

}  // namespace attn
