#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/bound/observed.hpp"

namespace attn::verify {

/// Numbers on the page that operations may use.
struct Givens {
  std::vector<std::int64_t> sizes;  ///< sizes whose square roots may divide scores: 2 to 8, and the page's
  std::vector<double> dropouts;     ///< probabilities
};

/// A tensor that others may follow from.
struct Source {
  Observed numbers;
  std::string words;          ///< "line 44", "inputs"
  std::size_t position = 0;   ///< its place on the page, from 1; 0 if the page does not print it
  bool is_rooted = false;     ///< given, or follows from given tensors alone
  bool is_sound = true;       ///< false if some of its numbers may be wrong
  bool may_be_inputs = true;  ///< unprinted weights may project it: it is not queries, weights or a mask
  bool is_draw = false;       ///< drawn after a seed; what follows from it cites the place where the page prints it
  char which = 0;             ///< 'q', 'k' or 'v' if the page calls it queries, keys or values
  std::size_t shown = 0;      ///< the place where the page prints a given tensor; 0 if it does not
  std::string key = {};       ///< of a tensor that the listing draws
  /// Its numbers computed from others, which may be known better than they are printed; empty if they are not.
  std::vector<Interval> computed = {};
  std::vector<double> exact = {};  ///< the same without rounding, if what they are computed from is known as well
};

/// How a tensor follows from others, the most specific first. `listed`: as the page's program writes it. A fit needs
/// weights that the page does not print; a property derives nothing.
enum class Form { equal, view, constant, operation, product, several, listed, fit, property };

/// A statement that a tensor follows from others.
struct Relation {
  Form form = Form::equal;
  std::string words;                  ///< in PyTorch's words: "torch.softmax(line 44 / 2**0.5, dim=-1)"
  std::vector<std::size_t> sources;   ///< their places on the page
  std::size_t leaves = 0;             ///< number of sources, given ones included
  std::size_t nearest = 0;            ///< the last place on the page where a source is printed
  bool is_rooted = false;             ///< follows from given tensors alone
  int fitting = 0;                    ///< number of operands whose names on the page fit their role
  double chance = 0;                  ///< log10 of the probability that it holds by chance
  bool is_wide = false;               ///< some number fits only within the sources' rounding, not their printed digits
  std::vector<std::int64_t> failing;  ///< for a near miss: the cells that differ
  std::vector<Interval> numbers;      ///< what all cells should be, from the sources
  std::vector<double> exact;          ///< the same without rounding, of what the listing writes from exact sources
};

}  // namespace attn::verify
