#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "port/causes.hpp"
#include "port/match.hpp"

namespace attn::port {

enum class Verdict {
  holds,
  wrong,      ///< not what the step makes of the port's own operands: here is a mistake
  inherited,  ///< what the step makes of the port's own operands, of which one is wrong
  shape,      ///< as many numbers as the step has there are not
};

/// What became of one step.
struct Judged {
  Matched matched;
  Verdict verdict = Verdict::holds;
  Comparison comparison;       ///< with the lesson's numbers
  std::vector<double> right;   ///< the lesson's numbers
  Comparison of_own_operands;  ///< with what the step makes of the port's operands
  std::vector<Cause> causes;   ///< of Verdict::wrong: what gives the port's numbers; empty where nothing known does
};

/// Judges a port's tensors in the order of computation: each is held against the lesson, and against what the step makes
/// of the port's own operands, which are put in place of the lesson's.
std::vector<Judged> judge(const Matching& matching, std::span<const Step> steps, const Tolerance& tolerance,
                          const Otherwise& otherwise);

}  // namespace attn::port
