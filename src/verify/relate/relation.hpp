#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/relate/grid.hpp"

namespace attn::verify {

/// Something that a tensor may follow from.
struct Source {
  Grid grid;
  std::string words;         ///< "line 44", "inputs"
  std::size_t position = 0;  ///< its place on the page, from 1; 0 for what the page does not print
  bool is_rooted = false;    ///< given, or itself following from what is given alone
  bool is_sound = true;      ///< false where some of its own numbers may be wrong
};

/// How a tensor follows from others, the most telling first. A fit is up to weights that the page does not print; a
/// property is no derivation.
enum class Form { equal, view, constant, operation, product, several, fit, property };

/// A tensor follows from others.
struct Relation {
  Form form = Form::equal;
  std::string words;                  ///< in PyTorch's words: "softmax(line 44 / 2**0.5)"
  std::vector<std::size_t> sources;   ///< their places: while relations are tried, among the sources; then on the page
  bool is_rooted = false;             ///< ends in what is given alone
  double chance = 0;                  ///< log10 of the probability that it holds by chance
  std::vector<std::int64_t> failing;  ///< of a near miss: the cells that do not hold
  Grid numbers;                       ///< of a near miss: what the cells should be
};

}  // namespace attn::verify
