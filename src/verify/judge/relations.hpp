#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "files/read.hpp"
#include "verify/judge/compare.hpp"

namespace attn::port {

/// What each of a dump's tensors that are no step follows from, of those that are one and those of them before it:
/// "softmax(your scores / 2**0.5)"; empty where nothing is known, or what is known may be chance.
std::vector<std::string> relations_of(std::span<const dump::Dumped> dumped, std::span<const std::size_t> unmatched,
                                      const Tolerance& tolerance);

}  // namespace attn::port
