#include "walk/mistakes/subjects.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {
namespace {

Tensor rescaled_twice(const Tensor& was, const Tensor& is) {
  const double p = was.operation().facts().p;
  return p > 0 ? divide(is, 1 - p, "") : is;
}

Tensor dropped_and_normalised(const Tensor&, const Tensor& is) { return made_by_rows(is, divide_by_sum); }

Tensor dropped_by(const Tensor& was, const Tensor& is, const Tensor& mask) {
  return made_of(is.operands()[0], [mask, p = static_cast<float>(was.operation().facts().p)](Numbers& numbers) {
    const Numbers keeps = numbers_of(mask);
    std::ranges::transform(numbers, keeps, numbers.begin(),
                           [p](float weight, float keep) { return weight * keep / (1 - p); });
  });
}

/// Uses the keep mask of the first entry for all entries of an axis.
Rewriter::Rule dropped_by_first(std::size_t axis) {
  return for_each(Kind::dropout, [axis](const Tensor& was, const Tensor& is) {
    return has_axis(was, axis) ? dropped_by(was, is, with_slices(is.operands()[1], axis, first_entry)) : is;
  });
}

Tensor dropped_by_transposed(const Tensor& was, const Tensor& is) {
  return was.dim() >= 2 && was.size(-1) == was.size(-2)
             ? dropped_by(was, is, contiguous(transpose(is.operands()[1], was.dim() - 2, was.dim() - 1)))
             : is;
}

/// Drops scores in place of weights; `hidden` stands where one is dropped that is masked, for -inf * 0 is nan.
Rewriter::Rule scores_dropped(std::span<const Step> steps, float hidden) {
  std::map<const void*, Tensor> dropped;  // by the weights' ids
  for (const Step& step : steps) {
    if (step.tensor && step.tensor->kind() == Kind::dropout) {
      dropped.emplace(step.tensor->operands()[0].id(), *step.tensor);
    }
  }
  return [dropped, hidden](const Tensor& was, const Tensor& is) {
    const auto found = was.kind() == Kind::softmax ? dropped.find(was.id()) : dropped.end();
    if (found == dropped.end()) {
      const bool are_made_so = was.kind() == Kind::dropout && is.operands()[0].kind() == Kind::softmax &&
                               is.operands()[0].id() != was.operands()[0].id();
      return are_made_so ? is.operands()[0] : is;
    }
    return with_first_operand(
        is, made_of(is.operands()[0], [mask = found->second.operands()[1], hidden,
                                       p = found->second.operation().facts().p](Numbers& scores) {
          const Numbers keeps = numbers_of(mask);
          std::ranges::transform(scores, keeps, scores.begin(), [hidden, p](float score, float keep) {
            return keep != 0 ? score / static_cast<float>(1 - p) : std::isinf(score) ? hidden : 0;
          });
        }));
  };
}

}  // namespace

std::vector<Mistake> dropout_mistakes(std::span<const Step> steps) {
  std::vector<Mistake> table = {
      {"rescaled-twice", "kept entries are multiplied by 1 / (1 - p) twice", dropout_line,
       for_each(Kind::dropout, rescaled_twice)},
      {"dropped-and-normalised", "kept entries are divided by their sum", dropout_line,
       for_each(Kind::dropout, dropped_and_normalised)},
      {"dropout-mask-of-head-0", "every head uses the dropout mask of head 0", dropout_line, dropped_by_first(1)},
      {"dropout-mask-of-entry-0", "every entry of the batch uses the dropout mask of entry 0", dropout_line,
       dropped_by_first(0)},
      {"dropout-mask-transposed", "the dropout mask is transposed", dropout_line,
       for_each(Kind::dropout, dropped_by_transposed)},
  };
  for (const float hidden : {0.0F, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
    table.push_back({"scores-dropped", "dropout is applied to the scores before softmax, not to the weights",
                     dropout_line, scores_dropped(steps, hidden)});
  }
  return table;
}

}  // namespace attn
