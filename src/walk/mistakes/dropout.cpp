#include "walk/mistakes/subjects.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"
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

/// Uses the keep mask of other entries of an axis.
template <class Source>
Rewriter::Rule dropped_by_others(std::int64_t axis, Source source) {
  return for_each(Kind::dropout, [axis, source](const Tensor& was, const Tensor& is) {
    const auto place = static_cast<std::size_t>(axis < 0 ? was.dim() + axis : axis);
    const bool has_it = axis < 0 ? was.dim() >= 2 : has_axis(was, place);
    return has_it ? dropped_by(was, is, with_slices(is.operands()[1], place, source)) : is;
  });
}

/// Multiplies what is kept by 1 / (1 - p) of another p.
Rewriter::Rule rescaled_for(double p) {
  return for_each(Kind::dropout, [p](const Tensor& was, const Tensor& is) {
    return was.operation().facts().p > 0 && was.operation().facts().p != p
               ? divide(is, (1 - p) / (1 - was.operation().facts().p), "")
               : is;
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

constexpr MistakeRow dropout_rows[] = {
    {"rescaled-twice", "kept entries are multiplied by 1 / (1 - p) twice", dropout_line,
     each<Kind::dropout, rescaled_twice>},
    {"dropped-and-normalised", "kept entries are divided by their sum", dropout_line,
     each<Kind::dropout, dropped_and_normalised>},
    {"dropout-mask-of-head-0", "every head uses the dropout mask of head 0", dropout_line,
     [](Steps) { return dropped_by_others(1, first_entry); }},
    {"dropout-mask-of-entry-0", "every entry of the batch uses the dropout mask of entry 0", dropout_line,
     [](Steps) { return dropped_by_others(0, first_entry); }},
    {"dropout-mask-transposed", "the dropout mask is transposed", dropout_line,
     each<Kind::dropout, dropped_by_transposed>},
};

}  // namespace

std::vector<Mistake> dropout_mistakes(std::span<const Step> steps) {
  std::vector<Mistake> table = made(dropout_rows, steps);
  table.push_back(
      {"keep-and-drop-swapped", "dropout drops the entries that the mask keeps, and rescales no others", dropout_line,
       for_each(Kind::dropout,
                [](const Tensor& was, const Tensor& is) {
                  return divide(dropout(is.operands()[0], inverted(is.operands()[1]), was.operation().facts().p),
                                1 / (1 - was.operation().facts().p), "");
                }),
       true});
  struct Order {
    const char* words;
    std::int64_t (*source)(std::int64_t entry, std::int64_t count);
  };
  constexpr Order orders[] = {
      {"next", [](std::int64_t entry, std::int64_t count) { return (entry + 1) % count; }},
      {"previous", [](std::int64_t entry, std::int64_t count) { return (entry + count - 1) % count; }},
      {"opposite", [](std::int64_t entry, std::int64_t count) { return count - 1 - entry; }}};
  for (const auto& [axis, words] : {std::pair{0, "entry"}, {1, "head"}, {-2, "row"}, {-1, "column"}}) {
    for (const Order& order : orders) {
      table.push_back({"dropout-mask-of-another-" + std::string(words),
                       "each " + std::string(words) + " uses the dropout mask of the " + order.words + " one",
                       dropout_line, dropped_by_others(axis, order.source), true});
    }
  }
  for (const double p : {0.1, 0.2, 0.3, 0.5}) {
    table.push_back({"rescaled-for-another-p",
                     "kept entries are multiplied by 1 / (1 - p) with p = " + text::shortest_text(p), dropout_line,
                     rescaled_for(p), true});
  }
  for (const float hidden : {0.0F, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
    table.push_back({"scores-dropped", "dropout is applied to the scores before softmax, not to the weights",
                     dropout_line, scores_dropped(steps, hidden)});
  }
  return table;
}

}  // namespace attn
