#include "walk/mistakes/subjects.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/operations.hpp"
#include "text/numbers.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {
namespace {

/// Combines scores and mask cell by cell: `combine` gets a score, its mask and its index.
template <class Combine>
Tensor combined(const Tensor& masked, Combine combine) {
  return made_of(masked.operands()[0], [mask = masked.operands()[1], combine](Numbers& numbers) {
    const Numbers hidden = numbers_of(mask);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = combine(numbers[i], hidden[i % hidden.size()], static_cast<std::int64_t>(i));
    }
  });
}

template <class Combine>
Rewriter::Rule masked_with(Combine combine) {
  return [combine](const Tensor& was, const Tensor& is) { return hides(was) ? combined(is, combine) : is; };
}

/// Masks only the slices along an axis for which `masks` is true.
template <class Masks>
Rewriter::Rule masked_where(std::size_t axis, Masks masks) {
  return [axis, masks](const Tensor& was, const Tensor& is) {
    if (!hides(was) || !has_axis(was, axis)) {
      return is;
    }
    const auto stride = row_major_strides(was.shape())[axis];
    return combined(is, [stride, count = was.shape()[axis], masks](float score, float hidden, std::int64_t place) {
      return masks(place / stride % count, count) && hidden != 0 ? -infinity : score;
    });
  };
}

/// Applies a mask, but hides completely masked rows with a number instead of -inf.
Rewriter::Rule with_hidden_rows_of(float fill, const Rewriter::Rule& mask) {
  return [fill, mask](const Tensor& was, const Tensor& is) {
    return !hides(was) ? is : made_by_rows(mask(was, is), [fill](std::span<float> row) {
      if (largest_of(row) == -infinity) {
        std::ranges::fill(row, fill);
      }
    });
  };
}

/// Applies a mask, but completely masked rows keep their scores: softmax does not see a number added to all of a row.
Rewriter::Rule with_hidden_rows_kept(const Rewriter::Rule& mask) {
  return [mask](const Tensor& was, const Tensor& is) {
    return !hides(was) ? is
                       : made_of(mask(was, is), [scores = is.operands()[0], width = width_of(was)](Numbers& numbers) {
                           const Numbers own = numbers_of(scores);
                           for (std::size_t first = 0; first < numbers.size(); first += width) {
                             const auto row = std::span(numbers).subspan(first, width);
                             if (largest_of(row) == -infinity) {
                               std::ranges::copy(std::span(own).subspan(first, width), row.begin());
                             }
                           }
                         });
  };
}

/// The rule for a mask that is applied after scaling instead of before.
Rewriter::Rule scaled_before(const Rewriter::Rule& mask) {
  return [mask](const Tensor& was, const Tensor& is) {
    const std::int64_t root_of = was.operation().facts().root_of;
    if (root_of == 0 || !hides(was.operands()[0]) || !hides(is.operands()[0])) {
      return is;
    }
    const Tensor& hidden = is.operands()[0];
    const Tensor masked = masked_fill(divide(hidden.operands()[0], std::sqrt(static_cast<double>(root_of)), ""),
                                      hidden.operands()[1], -infinity);
    return mask(masked, masked);
  };
}

Tensor with_inverted_mask(const Tensor& was, const Tensor& is) {
  return hides(was) ? masked_fill(is.operands()[0], inverted(is.operands()[1]), -infinity) : is;
}

bool is_first(std::int64_t entry, std::int64_t) { return entry == 0; }
bool is_last(std::int64_t entry, std::int64_t count) { return entry == count - 1; }
bool is_not_first(std::int64_t entry, std::int64_t) { return entry != 0; }
bool is_not_last(std::int64_t entry, std::int64_t count) { return entry != count - 1; }

constexpr MistakeRow mask_rows[] = {
    {"mask-inverted", "the mask is inverted: it hides the tokens that should be visible", mask_line,
     always<with_inverted_mask>},
    {"mask-of-queries", "padded queries are masked, not padded keys: their weights are all equal",
     "attn_scores.masked_fill(mask, -torch.inf), with whole columns in mask", always<masked_by_queries>},
    {"mask-added", "the mask of 0 and 1 is added to the scores", mask_line,
     [](Steps) { return masked_with([](float score, float hidden, std::int64_t) { return score + hidden; }); }},
    {"mask-subtracted", "the mask of 0 and 1 is subtracted from the scores", mask_line,
     [](Steps) { return masked_with([](float score, float hidden, std::int64_t) { return score - hidden; }); }},
    {"keep-mask-added", "1 is added to the visible scores, and the others are not hidden", mask_line,
     [](Steps) { return masked_with([](float score, float hidden, std::int64_t) { return score + 1 - hidden; }); }},
    {"mask-head-0-alone", "only head 0 is masked", mask_line, [](Steps) { return masked_where(1, is_first); }},
    {"mask-last-head-alone", "only the last head is masked", mask_line, [](Steps) { return masked_where(1, is_last); }},
    {"mask-not-head-0", "head 0 is not masked", mask_line, [](Steps) { return masked_where(1, is_not_first); }},
    {"mask-not-last-head", "the last head is not masked", mask_line,
     [](Steps) { return masked_where(1, is_not_last); }},
    {"mask-entry-0-alone", "only entry 0 of the batch is masked", mask_line,
     [](Steps) { return masked_where(0, is_first); }},
    {"mask-not-entry-0", "entry 0 of the batch is not masked", mask_line,
     [](Steps) { return masked_where(0, is_not_first); }},
};

}  // namespace

Mistake filled_with_number(double fill) {
  return {"mask-filled-with-number",
          "masked scores are " + text::shortest_text(static_cast<float>(fill)) + ", not -inf", mask_line,
          filled_with(static_cast<float>(fill))};
}

Mistake masked_by(const Tensor& mask, const std::string& sentence, bool is_before_softmax) {
  return {
      "another-mask", sentence, mask_line, [mask, is_before_softmax](const Tensor& was, const Tensor& is) {
        if (was.kind() == Kind::softmax && is_before_softmax) {
          return softmax(masked_fill(is.operands()[0], mask, -infinity));
        }
        return !hides(was) ? is : is_before_softmax ? is.operands()[0] : masked_fill(is.operands()[0], mask, -infinity);
      }};
}

std::vector<Mistake> mask_mistakes(std::span<const Mistake> usual) {
  std::vector<Mistake> table = made(mask_rows, {});
  for (const float value : {1e4F, 1e9F}) {
    table.push_back(
        {"mask-positive",
         "hidden scores get " + text::shortest_text(value) + ", added or filled in, not -" + text::shortest_text(value),
         mask_line, masked_with([value](float score, float hidden, std::int64_t) { return score + hidden * value; }),
         true});
  }
  for (const std::int64_t width : {1, 2, 3, 4}) {
    table.push_back({"mask-window", "the mask hides earlier tokens as well: a window of " + std::to_string(width),
                     mask_line,
                     masked_at([width](std::int64_t right, std::int64_t) { return right > 0 || right <= -width; })});
  }
  table.push_back({"mask-last-column", "the mask hides only the last token: a padding mask, not a causal one",
                   mask_line, masked_at([](std::int64_t, std::int64_t from_last) { return from_last == 0; })});
  const Rewriter::Rule itself = masked_beyond(-1);
  const Rewriter::Rule two = masked_beyond(-2);
  const Mistake hides_two{"mask-hides-two", "the mask hides the diagonal and the token before it as well: off by two",
                          mask_line, two};
  table.push_back(hides_two);
  // In a completely masked row, -inf gives nan, a large negative number equal weights or, added in float64, those of
  // the scores.
  table.push_back({"mask-hides-itself", "the mask hides the diagonal as well: off by one", mask_line,
                   with_hidden_rows_kept(itself)});
  table.push_back({"mask-inverted", "the mask is inverted: it hides the tokens that should be visible", mask_line,
                   with_hidden_rows_kept(with_inverted_mask)});
  for (const float fill : {-1e9F, -1e4F, -65504.0F, -std::numeric_limits<float>::max()}) {
    table.push_back({"mask-hides-itself", "the mask hides the diagonal as well: off by one", mask_line,
                     with_hidden_rows_of(fill, itself)});
    table.push_back({"mask-inverted", "the mask is inverted: it hides the tokens that should be visible", mask_line,
                     with_hidden_rows_of(fill, with_inverted_mask)});
    table.push_back({hides_two.name, hides_two.sentence, mask_line, with_hidden_rows_of(fill, two)});
  }
  std::vector<Mistake> scaled;
  const auto add_scaled = [&](const Mistake& mistake) {
    constexpr std::array<std::string_view, 7> of_masks = {"mask-added",    "mask-subtracted",   "keep-mask-added",
                                                          "mask-0",        "mask-hides-itself", "mask-inverted",
                                                          "mask-hides-two"};
    if (std::ranges::find(of_masks, std::string_view(mistake.name)) != of_masks.end()) {
      scaled.push_back({mistake.name, mistake.sentence, mistake.instead, scaled_before(mistake.rule)});
    }
  };
  std::ranges::for_each(usual, add_scaled);
  std::ranges::for_each(table, add_scaled);
  table.insert(table.end(), scaled.begin(), scaled.end());
  for (const float value : {-1e4F, -65504.0F, -std::numeric_limits<float>::max(), 1e9F, -1e-9F, 1e-9F, -1.0F, -10.0F,
                            -100.0F, std::numeric_limits<float>::min()}) {
    const std::string text = text::shortest_text(value);
    for (const Rewriter::Rule& rule : {Rewriter::Rule(filled_with(value)), scaled_before(filled_with(value))}) {
      table.push_back({"mask-filled-with-" + text, "masked scores are " + text + ", not -inf", mask_line, rule});
    }
  }
  return table;
}

}  // namespace attn
