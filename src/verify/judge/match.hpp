#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "files/read.hpp"
#include "verify/judge/operands.hpp"
#include "verify/judge/right.hpp"
#include "verify/propose/ways.hpp"

namespace attn::port {

/// A tensor that was recognised, or a part of a fused one.
struct Matched {
  enum class By { map, name, habit, numbers };

  std::size_t given = 0;                 ///< which of the dump's tensors
  const dump::Dumped* theirs = nullptr;  ///< it, or its part
  const Step* step = nullptr;
  By by = By::name;
  std::optional<Laid> laid;            ///< none where it has no such shape
  std::optional<Laid> otherwise = {};  ///< a wrong mask in its other sense, where nothing tells which is meant
  bool is_right = false;
  bool is_inherited = false;  ///< not right, but what the step makes of the port's own operands
};

/// Whose tensor is which step: the port's names, and the steps' for them, "attn_scores" or "head_1/attn_scores".
using Names = std::map<std::string, std::string>;

/// A name that is in no dump, or no step's: what is wrong; what is accepted; how to go on.
struct NameError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// What became of a dump's tensors.
struct Matching {
  std::vector<Matched> matched;        ///< in the order in which they are computed
  std::vector<std::size_t> unmatched;  ///< which of the dump's tensors, in its order
  Operands operands;                   ///< the wrong ones
};

/// Tensors taken apart live here.
using Parts = std::deque<dump::Dumped>;

/// Finds the steps that a dump's tensors are: by the names that are given, by the steps' own names, by what programs
/// call them, and else by numbers, in the order of the program. Which of several steps a name means, shape and numbers
/// say. All that is given must outlive the result. Throws NameError.
Matching match(std::span<const dump::Dumped> dumped, const Way& way, const Names& names, Right& right, Parts& parts);

}  // namespace attn::port
