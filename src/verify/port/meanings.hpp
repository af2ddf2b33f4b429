#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verify/port/layouts.hpp"

namespace attn::verify {

/// Numbers in another convention, and its name.
struct Meaning {
  SharedNumbers values;
  std::string words;
};

/// Returns true for a number that stands for True or False.
inline bool is_truth(double value) { return value == 0 || value == 1; }

/// Returns the readings of these numbers: programs differ in how they hide scores (-inf, -1e9) and in which cells of a
/// mask are True. `cells` holds the place of each number; it is empty where each is in its own.
std::vector<Meaning> meanings_of(const Target& target, const SharedNumbers& theirs,
                                 const std::vector<std::int64_t>& cells);

}  // namespace attn::verify
