#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "verify/causes/mistakes.hpp"

namespace attn {
namespace {

// ---- Heads, entries and rows in another order -------------------------------------------------------

using Source = std::int64_t (*)(std::int64_t entry, std::int64_t count);

std::int64_t first_entry(std::int64_t, std::int64_t) { return 0; }
std::int64_t last_entry(std::int64_t, std::int64_t count) { return count - 1; }
std::int64_t opposite(std::int64_t entry, std::int64_t count) { return count - 1 - entry; }
std::int64_t next(std::int64_t entry, std::int64_t count) { return (entry + 1) % count; }
std::int64_t previous(std::int64_t entry, std::int64_t count) { return (entry + count - 1) % count; }
std::int64_t all_but_first(std::int64_t entry, std::int64_t) { return entry == 0 ? -1 : entry; }
std::int64_t all_but_last(std::int64_t entry, std::int64_t count) { return entry == count - 1 ? -1 : entry; }

struct Order {
  const char* name;
  const char* of;  ///< after "from the"
  Source source;
  std::int64_t fewest = 2;  ///< with fewer entries, it equals another
};
constexpr Order orders[] = {{"of-first", "first", first_entry},
                            {"of-last", "last", last_entry},
                            {"reversed", "opposite", opposite},
                            {"of-next", "next", next, 3},
                            {"of-previous", "previous", previous, 3}};

/// Returns true for a tensor with a head axis: split queries, keys and values, scores, weights, contexts.
bool has_heads(const Tensor& was) {
  return was.dim() == 4 && was.size(1) > 1 &&
         (splits_heads(was) || was.kind() == Kind::matmul || was.kind() == Kind::softmax);
}

bool has_batch(const Tensor& was) {
  const bool is_stacked_copies = was.kind() == Kind::stack && was.operands().size() == 1;
  return was.dim() >= 3 && was.size(0) > 1 && (is_product(was) || was.kind() == Kind::softmax || is_stacked_copies);
}

bool has_rows(const Tensor& was) { return was.dim() >= 2 && (is_product(was) || was.kind() == Kind::softmax); }

/// Takes the slices of results along an axis, -2 for rows, from others.
template <bool (*has)(const Tensor&), std::int64_t axis, Source source>
Rewriter::Rule sliced(Steps) {
  return [](const Tensor& was, const Tensor& is) {
    return has(was) ? with_slices(is, static_cast<std::size_t>(axis < 0 ? was.dim() + axis : axis), source) : is;
  };
}

/// Leaves out a term of each sum of products.
Tensor without_last_term(const Tensor& was, const Tensor& is) {
  if (!is_product(was) || was.operands()[0].size(-1) < 2) {
    return is;
  }
  const Tensor& first = is.operands()[0];
  return with_first_operand(is, with_slices(first, static_cast<std::size_t>(first.dim() - 1), all_but_last));
}

/// Reads an operand of a product of two tensors from other batch entries or heads.
Rewriter::Rule with_operand(std::size_t operand, std::size_t axis, const Order& order) {
  return for_each(Kind::matmul, [operand, axis, order](const Tensor& was, const Tensor& is) {
    if (!has_axis(was, axis) || was.operands()[1].dim() != was.dim() || was.shape()[axis] < order.fewest) {
      return is;
    }
    std::vector<Tensor> operands = is.operands();
    operands[operand] = with_slices(contiguous(operands[operand]), axis, order.source);
    return is.with_operands(std::move(operands));
  });
}

/// Joins the heads of contexts [b, tokens, heads, head_dim] in another order.
Rewriter::Rule joined_as(const Order& order) {
  return [order](const Tensor& was, const Tensor& is) {
    const bool is_it = joins_heads(was) && was.operands()[0].size(2) >= order.fewest;
    return is_it ? view(with_slices(is.operands()[0], 2, order.source), was.shape()) : is;
  };
}

Tensor joined_innermost(const Tensor& was, const Tensor& is) {
  return joins_heads(was) ? view(contiguous(transpose(is.operands()[0], 2, 3)), was.shape()) : is;
}

/// The right factor's rows and columns confused by a view where a transpose belongs, or the other way round.
template <bool (*is_such)(const Tensor&)>
Tensor with_viewed_operand(const Tensor& was, const Tensor& is) {
  const Tensor& right = is.operands()[1];
  const std::int64_t dim = right.dim();
  return is_such(was) && dim >= 2
             ? matmul(is.operands()[0], view(contiguous(transpose(right, dim - 2, dim - 1)), right.shape()))
             : is;
}

// ---- Other sums of values ---------------------------------------------------------------------------

/// Sums the values times a number made of each weight.
template <float (*weight)(float)>
Rewriter::Rule weighted_by(Steps) {
  return [](const Tensor& was, const Tensor& is) {
    return !weighs_values(was) ? is : with_first_operand(is, made_by_rows(is.operands()[0], [](std::span<float> row) {
                                                           std::ranges::transform(row, row.begin(), weight);
                                                         }));
  };
}

Tensor with_values(const Tensor& was, const Tensor& is) {
  return weighs_values(was) && was.shape() == was.operands()[1].shape() ? add(is, is.operands()[1]) : is;
}

// ---- Dropout ----------------------------------------------------------------------------------------

/// Drops by a mask that is made of the right one.
template <Tensor (*change)(const Tensor& mask)>
Tensor dropped_by(const Tensor& was, const Tensor& is) {
  const Tensor mask = change(is.operands()[1]);
  return mask.id() == is.operands()[1].id()
             ? is
             : made_of(is.operands()[0], [mask, p = static_cast<float>(was.operation().facts().p)](Numbers& numbers) {
                 const Numbers keeps = numbers_of(mask);
                 std::ranges::transform(numbers, keeps, numbers.begin(),
                                        [p](float one, float keep) { return one * keep / (1 - p); });
               });
}

template <std::size_t axis>
Tensor of_first(const Tensor& mask) {
  return has_axis(mask, axis) ? with_slices(mask, axis, first_entry) : mask;
}

constexpr MistakeRow product_rows[] = {
    {"last-term-left-out", "the sum of each product leaves out its last term: off by one", "for i in range(n)",
     always<without_last_term>},
    {"heads-reversed", "the order of the heads is reversed", split_line, sliced<has_heads, 1, opposite>},
    {"one-head-everywhere", "every head is a copy of head 0", split_line, sliced<has_heads, 1, first_entry>},
    {"last-head-left-0", "the last head is left at 0", split_line, sliced<has_heads, 1, all_but_last>},
    {"one-entry-everywhere", "every entry of the batch is a copy of entry 0", batch_line,
     sliced<has_batch, 0, first_entry>},
    {"batch-reversed", "the order of the batch's entries is reversed", batch_line, sliced<has_batch, 0, opposite>},
    {"last-row-left-0", "the last row is left at 0: never written", "for i in range(num_tokens)",
     sliced<has_rows, -2, all_but_last>},
    {"first-row-left-0", "the first row is left at 0: never written", "for i in range(num_tokens)",
     sliced<has_rows, -2, all_but_first>},
    {"heads-joined-innermost", "heads are joined with the head axis innermost: column i belongs to head i % num_heads",
     join_line, always<joined_innermost>},
    {"keys-reshaped", "the keys are reshaped by view, not transposed, before the product with the queries", scores_line,
     each<Kind::matmul, with_viewed_operand<meets_keys>>},
    {"operand-by-view", "rows and columns of the values are confused by a view or reshape", values_line,
     each<Kind::matmul, with_viewed_operand<weighs_values>>},
    {"scaled-by-fourth-root",
     "the scores are divided by the fourth root of the keys' dimension: only queries or only keys are scaled",
     scaling_line,
     [](Steps) { return scaled_by([](std::int64_t size) { return std::pow(static_cast<double>(size), 0.25); }); }},
    {"values-summed", "the values of all tokens are added up without weights", values_line,
     weighted_by<[](float) { return 1.0F; }>},
    {"values-summed", "the values of all visible tokens are added up without weights", values_line,
     weighted_by<[](float weight) { return weight == 0 ? 0.0F : 1.0F; }>},
    {"values-added", "the values are added to the contexts: a residual connection that belongs after the layer",
     values_line, always<with_values>},
    {"dropout-mask-of-head-0", "every head uses the dropout mask of head 0", dropout_line,
     each<Kind::dropout, dropped_by<of_first<1>>>},
    {"dropout-mask-of-entry-0", "every entry of the batch uses the dropout mask of entry 0", dropout_line,
     each<Kind::dropout, dropped_by<of_first<0>>>},
};

}  // namespace

std::vector<Mistake> product_mistakes() {
  std::vector<Mistake> table = made(product_rows, {});
  for (const Order& order : orders) {
    const std::string name = order.name;
    const std::string of = order.of;
    table.push_back(
        {"heads-joined-" + name, "in place of each head, the " + of + " one is joined", join_line, joined_as(order)});
    for (const std::size_t operand : {1U, 0U}) {
      for (const std::size_t axis : {1U, 0U}) {
        const std::string which = operand == 0 ? "first" : "second";
        const std::string where = axis == 1 ? "head" : "entry";
        table.push_back(
            {which + "-operand-" + name + "-" + where,
             "each " + where + " takes the " + which + " operand of its product from the " + of + " " + where,
             axis == 1 ? split_line : batch_line, with_operand(operand, axis, order)});
      }
    }
  }
  return table;
}

}  // namespace attn
