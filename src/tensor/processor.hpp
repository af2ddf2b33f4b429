#pragma once

/// What the processor can run, and the system lets it.
namespace attn {

bool has_avx();
bool has_avx2();  ///< and FMA
bool has_avx512();

}  // namespace attn
