#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "verify/observed/observed.hpp"
#include "verify/port/compare.hpp"

namespace attn::verify {

/// For each of a dump's tensors that is not a step, returns how it follows from recognised tensors and earlier ones:
/// "softmax(your scores / 2**0.5)"; empty if nothing is found, or it may be coincidence.
std::vector<std::string> relations_of(std::span<const Observed> dumped, std::span<const std::size_t> unmatched,
                                      const Tolerance& tolerance);

}  // namespace attn::verify
