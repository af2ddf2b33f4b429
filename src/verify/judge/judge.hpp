#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verify/judge/causes.hpp"
#include "verify/judge/match.hpp"
#include "verify/propose/ways.hpp"

namespace attn::port {

enum class Verdict {
  right,
  wrong,      ///< not what the step makes of the port's own operands: here is a mistake
  inherited,  ///< what the step makes of the port's own operands, of which one is wrong
  shape,      ///< laid out as the step cannot be
};

/// What became of one tensor, or of a part of it.
struct Judged {
  Matched matched;
  Verdict verdict = Verdict::right;
  Comparison comparison;      ///< with the lesson's numbers
  std::vector<double> right;  ///< these; empty for a tensor that holds unread
  std::string whose;          ///< another step whose numbers it has exactly, against its name; else empty
  std::vector<Cause> causes;  ///< of Verdict::wrong: what gives the port's numbers; empty where nothing known does
};

/// What became of a dump.
struct Judgement {
  Way way;                             ///< the right way that most of it follows
  std::vector<dump::Dumped> stored;    ///< what was brought, where all of it is stored otherwise
  Parts parts;                         ///< what fused tensors were taken apart into
  std::vector<Judged> tensors;         ///< in the order of computation
  std::vector<std::size_t> unmatched;  ///< which of the dump's tensors are no step
  std::vector<std::string> relations;  ///< of these: what each follows from, of the dump's others; may be empty
  std::optional<std::int64_t> seed =
      {};  ///< with which all was drawn, if not with the lesson's: nothing else is judged
};

/// Judges a port's tensors against each right way to write the steps, and reports the way that explains most of them:
/// each tensor is held against the lesson's, and against what the step makes of the port's own operands. Throws
/// NameError.
Judgement judge(std::span<const dump::Dumped> dumped, std::span<const Step> steps, const Names& names,
                const Tolerance& tolerance, const Otherwise& otherwise);
/// Judges a dump whose tensors have no numbers yet: `read` reads one. Tensors that hold as they are stored stay unread,
/// and so do their right numbers.
Judgement judge_unread(std::span<dump::Dumped> dumped, const ReadOne& read, std::span<const Step> steps,
                       const Names& names, const Tolerance& tolerance, const Otherwise& otherwise);

}  // namespace attn::port
