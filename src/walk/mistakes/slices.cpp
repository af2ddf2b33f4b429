#include "walk/mistakes/subjects.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {
namespace {

/// What has heads of its own: queries, keys and values split, scores, weights, contexts.
bool has_heads(const Tensor& was) {
  return was.dim() == 4 && was.size(1) > 1 &&
         (splits_heads(was) || was.kind() == Kind::matmul || was.kind() == Kind::softmax);
}

bool has_batch(const Tensor& was) {
  return was.dim() >= 3 && was.size(0) > 1 &&
         (is_product(was) || was.kind() == Kind::softmax || was.kind() == Kind::stack);
}

bool has_rows(const Tensor& was) { return was.dim() >= 2 && (is_product(was) || was.kind() == Kind::softmax); }

std::int64_t all_but_first(std::int64_t entry, std::int64_t) { return entry == 0 ? -1 : entry; }

std::int64_t all_but_last(std::int64_t entry, std::int64_t count) { return entry == count - 1 ? -1 : entry; }

std::int64_t reversed_entry(std::int64_t entry, std::int64_t count) { return count - 1 - entry; }

template <class Has, class Source>
Rewriter::Rule sliced(Has has, std::int64_t axis, Source source) {
  return [=](const Tensor& was, const Tensor& is) {
    return has(was) ? with_slices(is, static_cast<std::size_t>(axis < 0 ? was.dim() + axis : axis), source) : is;
  };
}

/// A result that is added to what stands in its place already: the entry before along an axis.
Rewriter::Rule accumulated_over(std::int64_t axis) {
  return [axis](const Tensor& was, const Tensor& is) {
    const std::int64_t place = axis < 0 ? was.dim() + axis : axis;
    if (!is_product(was) || place < 0 || place + 2 > was.dim() || (axis == 1 && was.dim() != 4) ||
        was.size(place) < 2) {
      return is;
    }
    const auto stride = row_major_strides(was.shape())[static_cast<std::size_t>(place)];
    return made_of(is, [stride, count = was.size(place)](Numbers& numbers) {
      for (std::int64_t i = 0; i < std::ssize(numbers); ++i) {
        numbers[static_cast<std::size_t>(i)] +=
            i / stride % count == 0 ? 0 : numbers[static_cast<std::size_t>(i - stride)];
      }
    });
  };
}

/// The second operand of a product, its slices along an axis taken from others.
template <class Source>
Rewriter::Rule second_operand_sliced(std::size_t axis, Source source) {
  return for_each(Kind::matmul, [axis, source](const Tensor& was, const Tensor& is) {
    return has_axis(was, axis) && was.operands()[1].dim() == was.dim()
               ? matmul(is.operands()[0], with_slices(is.operands()[1], axis, source))
               : is;
  });
}

/// A sum of products that leaves out a term: where the first operand is 0.
template <class Source>
Rewriter::Rule with_terms(Source source) {
  return [source](const Tensor& was, const Tensor& is) {
    if (!is_product(was) || was.operands()[0].size(-1) < 2) {
      return is;
    }
    const Tensor& first = is.operands()[0];
    return with_first_operand(is, with_slices(first, static_cast<std::size_t>(first.dim() - 1), source));
  };
}

/// The heads of contexts [b, heads, tokens, head_dim] in other columns.
Tensor joined_reversed(const Tensor& was, const Tensor& is) {
  return joins_heads(was) ? view(with_slices(is.operands()[0], 2, reversed_entry), was.shape()) : is;
}

Tensor joined_innermost(const Tensor& was, const Tensor& is) {
  return joins_heads(was) ? view(contiguous(transpose(is.operands()[0], 2, 3)), was.shape()) : is;
}

/// context.view(b, tokens, d_out) of [b, heads, tokens, head_dim], whatever is shown of what lies between.
Tensor joined_by_view(const Tensor& was, const Tensor& is) {
  return joins_heads(was) ? view(contiguous(transpose(is.operands()[0], 1, 2)), was.shape()) : is;
}

}  // namespace

std::vector<Mistake> slice_mistakes() {
  return {
      {"last-term-left-out", "the sum of each product leaves out its last term: off by one", "for i in range(n)",
       with_terms(all_but_last)},
      {"first-term-left-out", "the sum of each product leaves out its first term: off by one", "for i in range(n)",
       with_terms(all_but_first)},
      {"accumulated-over-batch", "each entry of the batch is added to the one before: the sum is not reset to 0",
       "sum = 0", accumulated_over(0)},
      {"accumulated-over-heads", "each head is added to the one before: the sum is not reset to 0", "sum = 0",
       accumulated_over(1)},
      {"accumulated-over-rows", "each row is added to the one before: the sum is not reset to 0", "sum = 0",
       accumulated_over(-2)},

      {"second-operand-of-head-0", "the second operand of the product is head 0's for every head", split_line,
       second_operand_sliced(1, first_entry)},
      {"second-operand-of-entry-0", "the second operand of the product is that of entry 0 for every entry of the batch",
       batch_line, second_operand_sliced(0, first_entry)},
      {"second-operand-reversed", "the second operand of the product has its heads in reverse order", split_line,
       second_operand_sliced(1, reversed_entry)},
      {"heads-reversed", "the order of the heads is reversed", split_line, sliced(has_heads, 1, reversed_entry)},
      {"one-head-everywhere", "every head is a copy of head 0", split_line, sliced(has_heads, 1, first_entry)},
      {"last-head-left-0", "the last head is left at 0", split_line, sliced(has_heads, 1, all_but_last)},
      {"heads-joined-reversed", "heads are joined in reverse order", join_line, joined_reversed},
      {"heads-joined-by-view", "heads are joined by view only, without transpose", join_line, joined_by_view},
      {"heads-joined-innermost",
       "heads are joined with the head axis innermost: column i belongs to head i % num_heads", join_line,
       joined_innermost},
      {"one-entry-everywhere", "every entry of the batch is a copy of entry 0", batch_line,
       sliced(has_batch, 0, first_entry)},
      {"batch-reversed", "the order of the batch's entries is reversed", batch_line,
       sliced(has_batch, 0, reversed_entry)},
      {"last-entry-left-0", "the last entry of the batch is left at 0", batch_line, sliced(has_batch, 0, all_but_last)},
      {"last-row-left-0", "the last row is left at 0: never written", "for i in range(num_tokens)",
       sliced(has_rows, -2, all_but_last)},
      {"first-row-left-0", "the first row is left at 0: never written", "for i in range(num_tokens)",
       sliced(has_rows, -2, all_but_first)},
  };
}

}  // namespace attn
