#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verify/propose/layouts.hpp"

namespace attn::port {

/// How a mask is called that is True where PyTorch's is False.
inline constexpr const char* seen_words = "True for what is seen";

/// Numbers that mean the same otherwise, and how they are called.
struct Meaning {
  std::vector<double> values;
  std::string words;
};

/// What these numbers may be meant for: what is hidden by -inf and where a mask is True, programs say otherwise.
/// `cells` says where each of them belongs.
std::vector<Meaning> meanings_of(const Target& target, const std::vector<double>& theirs,
                                 const std::vector<std::int64_t>& cells);

}  // namespace attn::port
