#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "verify/port/causes.hpp"
#include "verify/port/match.hpp"
#include "verify/port/ways.hpp"

namespace attn::verify {

/// The usual seed after which the program draws the port's numbers, if none of its drawn tensors is right; else none.
std::optional<std::int64_t> seed_of(std::span<const Matched> matched, const torch::Draws& draws, const Right& right);

/// The worst come last.
enum class PortVerdict {
  right,
  inherited,  ///< the step's result for the port's own operands, one of which is wrong
  wrong,      ///< not the step's result for the port's own operands: the mistake is here
  shape,      ///< a shape that the step cannot have
  unknown,    ///< not recognised
};

/// The verdict on one tensor, or on a part of it.
struct Judged {
  Matched matched;
  PortVerdict verdict = PortVerdict::right;
  Comparison comparison;           ///< with the lesson's numbers
  SharedNumbers right;             ///< the lesson's numbers
  std::vector<Cause> causes = {};  ///< for PortVerdict::wrong: what gives the port's numbers; empty if nothing known
};

/// The verdict on a dump.
struct Judgement {
  Way way = {};                           ///< the right way that most of it follows
  std::vector<Observed> stored;           ///< the dump, if all of it is stored in another order of axes
  Parts parts;                            ///< the parts of fused tensors
  std::vector<Judged> tensors;            ///< in the order of computation
  std::vector<std::size_t> unmatched;     ///< indices of the dump's tensors that are not a step
  std::set<std::size_t> undecided;        ///< of these, what has the contexts' numbers and may be meant as the output
  std::optional<std::int64_t> seed = {};  ///< the seed of all draws, if it is not the lesson's: nothing else is judged
};

/// Judges a port's tensors against each right way to write the steps, and reports the way that explains most of them.
/// Compares each tensor with the lesson's and with the step's result for the port's own operands. Throws NameError.
Judgement judge(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names,
                const Tolerance& tolerance, const torch::Draws& draws);

}  // namespace attn::verify
