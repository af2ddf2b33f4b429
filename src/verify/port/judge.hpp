#pragma once

#include <cstddef>
#include <deque>
#include <stdexcept>

#include "verify/explain/finding.hpp"
#include "verify/port/right.hpp"
#include "walk/walkthrough.hpp"

namespace attn::verify {

/// A program that is as right as the article's, and has the same result.
struct Way {
  std::string words;        ///< "scores are scaled before they are masked"; empty: the article's own
  std::vector<Step> steps;  ///< tensors alone, in the order of computation, with those that only ports have
};

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

/// What gives the numbers of a tensor that is wrong by itself: another arithmetic, a mistake, or two at once, in what
/// lies between it and the tensors that are shown right. At most three, the most usual first; empty where nothing known
/// does.
std::vector<Cause> causes_of(const Matched& matched, std::span<const Step> steps, const PortOperands& operands,
                             std::span<const Tensor* const> shown, Right& right);

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
  Way way = {};                       ///< the right way that most of it follows
  std::vector<Observed> stored = {};  ///< the dump, if all of it is stored in another order of axes
  Parts parts = {};                   ///< the parts of fused tensors
  Matching matching = {};
  std::vector<Judged> tensors = {};       ///< in the order of computation
  std::optional<std::int64_t> seed = {};  ///< the seed of all draws, if it is not the lesson's: nothing else is judged
};

/// Judges a port's tensors against each right way to write the steps, and reports the way that explains most of them.
/// Compares each tensor with the lesson's and with the step's result for the port's own operands. Throws NameError.
Judgement judge(std::span<const Observed> dumped, std::span<const Step> steps, const Names& names,
                const Tolerance& tolerance, const torch::Draws& draws);

}  // namespace attn::verify
