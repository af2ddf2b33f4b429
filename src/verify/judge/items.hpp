#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "verify/judge/match.hpp"

namespace attn::port {

/// A tensor to find a step for.
struct Item {
  std::size_t given;
  const dump::Dumped* theirs;
  Matched::By by;
  std::vector<std::size_t> candidates;  ///< steps, the likeliest first
  std::size_t own = 0;                  ///< so many of them are what the name says; the rest are its forms
  bool is_final = false;
  bool is_certain = true;
  std::optional<Matched> matched = {};
};

/// What the names of a dump's tensors say: the names that are given, the steps' own, and what programs call them. Fused
/// tensors are taken apart, into `parts`, as most of them are right. Throws NameError.
std::vector<Item> items_of(std::span<const dump::Dumped> dumped, std::span<const Step> steps, const Names& names,
                           Right& right, Parts& parts);

}  // namespace attn::port
