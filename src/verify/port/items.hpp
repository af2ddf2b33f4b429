#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/port/match.hpp"

namespace attn::verify {

/// A tensor that needs a step.
struct Item {
  std::size_t given;
  const Observed* theirs;
  Matched::By by;
  std::vector<std::size_t> candidates;  ///< steps, the likeliest first
  std::size_t own = 0;                  ///< how many of them the name itself says; the rest are other forms of these
  bool is_final = false;
  bool is_also_context = false;  ///< if final: programs call the contexts before the projection so as well
  bool is_also_input = false;    ///< programs call what is projected so as well
  bool is_certain = true;
  std::string reading = {};  ///< how `theirs` is read, if not as it is dumped
  std::optional<Matched> matched = {};
};

/// Reads the names of a dump's tensors: names given by --map, the steps' own names, and names that programs use. Splits
/// fused tensors into `parts`, in the way that makes most of them right. Throws NameError.
std::vector<Item> items_of(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names,
                           Right& right, Parts& parts);

}  // namespace attn::verify
