#include <cmath>
#include <cstddef>
#include <string>

#include "text/numbers.hpp"
#include "verify/causes/rules.hpp"

namespace attn {
namespace {

/// A rule for another mask. `is_hidden` gets a column's distance to the right of its row, and its distance from the
/// last column.
template <class IsHidden>
Rewriter::Rule masked_at(IsHidden is_hidden) {
  return [is_hidden](const Tensor& was, const Tensor& is) {
    if (!hides(was)) {
      return is;
    }
    const Shape& shape = was.operands()[1].shape();
    const Tensor mask = leaf(shape, DType::boolean, "mask", [shape, is_hidden] {
      Block<bool> block(shape);
      const std::int64_t columns = shape.back();
      const std::int64_t rows = shape[shape.size() - 2];
      for (std::size_t i = 0; i < block.size(); ++i) {
        const auto place = static_cast<std::int64_t>(i);
        block[i] = is_hidden(place % columns - place / columns % rows, columns - 1 - place % columns);
      }
      return Contents(std::move(block));
    });
    return masked_fill(is.operands()[0], mask, -infinity);
  };
}

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

/// Adds one number to visible scores and another to hidden ones.
Rewriter::Rule with_added(float visible, float hidden) {
  return [visible, hidden](const Tensor& was, const Tensor& is) {
    return !hides(was) ? is : combined(is, [visible, hidden](float score, float mask, std::int64_t) {
      return score + (mask != 0 ? hidden : visible);
    });
  };
}

/// Masks only the slices along an axis for which `masks` is true.
Rewriter::Rule masked_where(std::size_t axis, bool (*masks)(std::int64_t entry, std::int64_t count)) {
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

/// Applies a mask; in rows that it hides completely, all scores are alike or, if they are kept, as if not masked: a
/// large negative number was filled in or added.
Rewriter::Rule with_hidden_rows(const Rewriter::Rule& mask, bool are_kept) {
  return [mask, are_kept](const Tensor& was, const Tensor& is) {
    return !hides(was) ? is : made_of(mask(was, is), [scores = is.operands()[0], are_kept](Numbers& numbers) {
      const Numbers own = numbers_of(scores);
      for (std::size_t first = 0; first < numbers.size(); first += width_of(scores)) {
        const auto row = std::span(numbers).subspan(first, width_of(scores));
        if (std::ranges::max(row) == -infinity) {
          std::ranges::transform(std::span(own).subspan(first, row.size()), row.begin(),
                                 [are_kept](float score) { return are_kept ? score : -1e9F; });
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

/// Masks rows of hidden tokens in place of their columns, if each entry of a batch has its own mask. Each number is as
/// good a fill: softmax of equal scores gives equal weights.
Tensor masked_by_queries(const Tensor& was, const Tensor& is) {
  const bool is_by_entry = hides(was) && was.operands()[1].dim() == 3;
  return is_by_entry ? masked_fill(is.operands()[0], transpose(is.operands()[1], 1, 2), -1e4) : is;
}

bool is_first(std::int64_t entry, std::int64_t) { return entry == 0; }
bool is_not_last(std::int64_t entry, std::int64_t count) { return entry != count - 1; }

constexpr MistakeRow rows_hiding_rows[] = {
    {"mask-hides-itself", "the mask hides the diagonal as well: off by one", mask_line,
     [](Steps) { return masked_beyond(-1); }},
    {"mask-inverted", "the mask is inverted: it hides the tokens that should be visible", mask_line,
     always<with_inverted_mask>},
    {"mask-hides-two", "the mask hides the diagonal and the token before it as well: off by two", mask_line,
     [](Steps) { return masked_beyond(-2); }},
};

constexpr MistakeRow mask_rows[] = {
    {"mask-of-queries", "padded queries are masked, not padded keys: their weights are all equal",
     "attn_scores.masked_fill(mask, -torch.inf), with whole columns in mask", always<masked_by_queries>},
    {"mask-head-0-alone", "only head 0 is masked", mask_line, [](Steps) { return masked_where(1, is_first); }},
    {"mask-not-last-head", "the last head is not masked", mask_line,
     [](Steps) { return masked_where(1, is_not_last); }},
    {"mask-entry-0-alone", "only entry 0 of the batch is masked", mask_line,
     [](Steps) { return masked_where(0, is_first); }},
    {"mask-last-column", "the mask hides only the last token: a padding mask, not a causal one", mask_line,
     [](Steps) { return masked_at([](std::int64_t, std::int64_t from_last) { return from_last == 0; }); }},
};

}  // namespace

Rewriter::Rule masked_beyond(std::int64_t beyond) {
  return [beyond](const Tensor& was, const Tensor& is) {
    const std::int64_t window = hides(was) ? was.operands()[1].operation().facts().window : 0;
    const auto is_hidden = [beyond, window](std::int64_t right, std::int64_t) {
      return right > beyond || (window > 0 && right <= -window);
    };
    return masked_at(is_hidden)(was, is);
  };
}

std::vector<Mistake> mask_mistakes() {
  std::vector<Mistake> table = made(mask_rows, {});
  for (const Mistake& one : made(rows_hiding_rows, {})) {
    table.push_back(one);
    for (const bool are_kept : {false, true}) {
      table.push_back({one.name, one.sentence, one.instead, with_hidden_rows(one.rule, are_kept)});
    }
  }
  for (const std::int64_t width : {1, 2, 3}) {
    table.push_back({"mask-window", "the mask hides earlier tokens as well: a window of " + std::to_string(width),
                     mask_line,
                     masked_at([width](std::int64_t right, std::int64_t) { return right > 0 || right <= -width; })});
  }
  const auto add = [&table](const std::string& name, const std::string& sentence, const Rewriter::Rule& rule) {
    table.push_back({name, sentence, mask_line, rule});
    table.push_back({name, sentence, mask_line, scaled_before(rule)});
  };
  add("mask-added", "the mask of 0 and 1 is added to the scores", with_added(0, 1));
  add("mask-subtracted", "the mask of 0 and 1 is subtracted from the scores", with_added(0, -1));
  add("keep-mask-added", "1 is added to the visible scores, and the others are not hidden", with_added(1, 0));
  for (const float value : {1e9F, -1.0F, -10.0F, -100.0F}) {
    const std::string text = text::shortest_text(value);
    add("mask-filled-with-" + text, "masked scores are " + text + ", not -inf", filled_with(value));
  }
  return table;
}

}  // namespace attn
