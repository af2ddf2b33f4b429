#include "port/judge.hpp"

#include <utility>

#include "port/operands.hpp"

namespace attn::port {
namespace {

/// What the step makes of the port's operands.
std::vector<double> remade(const Step& step, const Operands& operands) {
  Rewriter rewriter([&](const Tensor& was, const Tensor& is) { return operands.put_in(was, is, *step.tensor); });
  return values_of(rewriter(*step.tensor));
}

}  // namespace

std::vector<Judged> judge(const Matching& matching, std::span<const Step> steps, const Tolerance& tolerance,
                          const Otherwise& otherwise) {
  const Operands operands(matching.steps);
  std::vector<Judged> result;
  for (const Matched& matched : matching.steps) {
    Judged judged{matched, Verdict::holds, {}, values_of(*matched.step->tensor), {}, {}};
    if (!matched.has_shape) {
      judged.verdict = Verdict::shape;
      result.push_back(std::move(judged));
      continue;
    }
    judged.comparison = compare(matched.values, judged.right, tolerance);
    judged.of_own_operands = compare(matched.values, remade(*matched.step, operands), tolerance);
    if (!judged.comparison.holds()) {
      judged.verdict = judged.of_own_operands.holds() ? Verdict::inherited : Verdict::wrong;
    }
    if (judged.verdict == Verdict::wrong) {
      judged.causes = causes_of(matched, steps, operands, tolerance, otherwise);
    }
    result.push_back(std::move(judged));
  }
  return result;
}

}  // namespace attn::port
