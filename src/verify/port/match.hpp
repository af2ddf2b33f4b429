#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "verify/observed/observed.hpp"
#include "verify/port/operands.hpp"
#include "verify/port/right.hpp"
#include "verify/port/ways.hpp"

namespace attn::verify {

/// A recognised tensor, or a recognised part of a fused one.
struct Matched {
  enum class By { map, name, habit, numbers };

  std::size_t given = 0;             ///< which of the dump's tensors
  const Observed* theirs = nullptr;  ///< the tensor, or its part
  const Step* step = nullptr;
  By by = By::name;
  std::optional<Laid> laid;  ///< none if it has no such shape
  bool is_right = false;
  bool is_inherited = false;  ///< not right, but the step's result for the port's own operands
};

/// --map: the port's names, and the steps that they are: "attn_scores" or "head_1/attn_scores".
using Names = std::map<std::string, std::string>;

/// A name that neither the dump nor the steps have: what is wrong; what is accepted; how to go on.
struct NameError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The match of a dump's tensors with steps.
struct Matching {
  std::vector<Matched> matched;        ///< in the order in which they are computed
  std::vector<std::size_t> unmatched;  ///< indices of the dump's tensors, in its order
  std::set<std::size_t> undecided;     ///< of these, what has the contexts' numbers and may be meant as the output
  PortOperands operands;               ///< the wrong ones
};

/// Holds the parts of fused tensors.
using Parts = std::deque<Observed>;

/// Finds the step of each tensor of a dump: by --map, by the steps' own names, by names that programs use, else by
/// numbers, in the order of the program; the order of the dump does not matter. If a name may mean several steps, shape
/// and numbers decide. The arguments must outlive the result. Throws NameError.
Matching match(std::span<const Observed> dumped, const Way& way, const Names& names, Right& right, Parts& parts);

}  // namespace attn::verify
