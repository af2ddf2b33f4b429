#include "port/judge.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "port/operands.hpp"

namespace attn::port {
namespace {

std::optional<std::vector<double>> remade(const Step& step, const Operands& operands) {
  Rewriter rewriter([&](const Tensor& was, const Tensor& is) { return operands.put_in(was, is, *step.tensor); });
  return values_of(rewriter(*step.tensor));
}

}  // namespace

std::vector<Judged> judge(const Matching& matching, std::span<const Step> steps, const Tolerance& tolerance,
                          const Variants& variants) {
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
    const auto own = remade(*matched.step, operands);
    judged.of_own_operands = compare(matched.values, *own, tolerance);
    if (!judged.comparison.holds()) {
      judged.verdict = judged.of_own_operands.holds() ? Verdict::inherited : Verdict::wrong;
    }
    if (judged.verdict == Verdict::wrong) {
      judged.causes = causes_of(matched, steps, operands, tolerance, variants);
    }
    result.push_back(std::move(judged));
  }
  return result;
}

}  // namespace attn::port
