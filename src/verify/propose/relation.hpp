#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/bound/observed.hpp"

namespace attn::verify {

/// Numbers in sight on the page that operations may be given.
struct Givens {
  std::vector<std::int64_t> sizes;  ///< whose square roots may divide scores: 2 to 8, and the page's
  std::vector<double> dropouts;     ///< probabilities
};

/// Something that a tensor may follow from.
struct Source {
  Observed numbers;
  std::string words;          ///< "line 44", "inputs"
  std::size_t position = 0;   ///< its place on the page, from 1; 0 for what the page does not print
  bool is_rooted = false;     ///< given, or itself following from what is given alone
  bool is_sound = true;       ///< false where some of its own numbers may be wrong
  bool may_be_inputs = true;  ///< what weights that nobody printed may project: not queries, weights or a mask
  bool is_draw = false;       ///< of a seed; what follows from it follows from where the page prints it
  char which = 0;             ///< 'q', 'k' or 'v' where the page calls it queries, keys or values
  std::size_t shown = 0;      ///< the place where the page prints what is given; 0 where it does not
  std::string key = {};       ///< of what the listing draws
};

/// How a tensor follows from others, the most telling first. What is listed is what the page's program writes. A fit is
/// up to weights that the page does not print; a property is no derivation.
enum class Form { equal, view, constant, operation, product, several, listed, fit, property };

/// A tensor follows from others.
struct Relation {
  Form form = Form::equal;
  std::string words;                 ///< in PyTorch's words: "torch.softmax(line 44 / 2**0.5, dim=-1)"
  std::vector<std::size_t> sources;  ///< their places on the page
  std::size_t leaves = 0;            ///< how many there are, given ones too
  std::size_t nearest = 0;           ///< the last place on the page where one is printed
  bool is_rooted = false;            ///< ends in what is given alone
  bool is_certain = true;  ///< chance is excluded; else others of a page's may exclude it together with this one
  int fitting = 0;         ///< how many of its operands the page calls what they are there
  double chance = 0;       ///< log10 of the probability that it holds by chance
  bool is_wide = false;    ///< some number is what the sources' rounding allows, and not what their digits give
  std::vector<std::int64_t> failing;  ///< of a near miss: the cells that do not hold
  std::vector<Interval> numbers;      ///< of a near miss: what the cells should be
};

}  // namespace attn::verify
