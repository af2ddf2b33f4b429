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

enum class PortVerdict {
  right,
  wrong,      ///< not the step's result for the port's own operands: the mistake is here
  inherited,  ///< the step's result for the port's own operands, one of which is wrong
  shape,      ///< a shape that the step cannot have
};

/// The verdict on one tensor, or on a part of it.
struct Judged {
  Matched matched;
  PortVerdict verdict = PortVerdict::right;
  Comparison comparison;  ///< with the lesson's numbers
  SharedNumbers right;    ///< the lesson's numbers; empty for a large dump that is judged unread
  std::string whose;      ///< another step whose numbers it has exactly, contrary to its name; else empty
  std::vector<Cause>
      causes;  ///< for PortVerdict::wrong: mistakes that give the port's numbers; empty if no known one does
};

/// The verdict on a dump.
struct Judgement {
  Way way;                             ///< the right way that most of it follows
  std::vector<Observed> stored;        ///< the dump, if all of it is stored in another order of axes
  Parts parts;                         ///< the parts of fused tensors
  std::vector<Judged> tensors;         ///< in the order of computation
  std::vector<std::size_t> unmatched;  ///< indices of the dump's tensors that are not a step
  std::set<std::size_t> undecided;     ///< of these, what has the contexts' numbers and may be meant as the output
  std::vector<std::string> relations;  ///< for each of these: how it follows from others of the dump; may be empty
  std::size_t untried = 0;  ///< so many mistakes may be the cause of what has none: they need large tensors at once
  std::optional<std::int64_t> seed =
      {};  ///< the seed of all draws, if it is not the lesson's: then nothing else is judged
};

/// Judges a port's tensors against each right way to write the steps, and reports the way that explains most of them.
/// Compares each tensor with the lesson's and with the step's result for the port's own operands. Throws NameError.
/// Where numbers are still to be read, the dump is large: those of tensors that hold as they are stored are not kept,
/// nor are the right ones.
Judgement judge(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names,
                const Tolerance& tolerance, const Otherwise& otherwise);

}  // namespace attn::verify
