#pragma once

#include <cstdint>
#include <span>

namespace attn::verify {

/// The seeds that people give, the likeliest first: small ones, and numbers that are easily typed.
std::span<const std::int64_t> usual_seeds();

}  // namespace attn::verify
