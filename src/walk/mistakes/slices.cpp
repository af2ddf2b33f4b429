#include "walk/mistakes/subjects.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {
namespace {

/// Returns true for a tensor with a head axis: split queries, keys and values, scores, weights, contexts.
bool has_heads(const Tensor& was) {
  return was.dim() == 4 && was.size(1) > 1 &&
         (splits_heads(was) || was.kind() == Kind::matmul || was.kind() == Kind::softmax);
}

/// Returns true for a batch whose entries are copies of one tensor.
bool is_stacked_copies(const Tensor& was) { return was.kind() == Kind::stack && was.operands().size() == 1; }

bool has_batch(const Tensor& was) {
  return was.dim() >= 3 && was.size(0) > 1 &&
         (is_product(was) || was.kind() == Kind::softmax || is_stacked_copies(was));
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

/// Changes an operand of a product along the batch axis or the head axis.
template <class Change>
Rewriter::Rule with_operand(std::size_t operand, std::size_t axis, Change change) {
  return for_each(Kind::matmul, [operand, axis, change](const Tensor& was, const Tensor& is) {
    if (!has_axis(was, axis) || was.operands()[1].dim() != was.dim()) {
      return is;
    }
    std::vector<Tensor> operands = is.operands();
    operands[operand] = change(contiguous(operands[operand]), axis);
    return is.with_operands(std::move(operands));
  });
}

std::int64_t last_entry(std::int64_t, std::int64_t count) { return count - 1; }

std::int64_t next_entry(std::int64_t entry, std::int64_t count) { return (entry + 1) % count; }

std::int64_t previous_entry(std::int64_t entry, std::int64_t count) { return (entry + count - 1) % count; }

/// Applies a rule only to axes with at least `count` entries; with fewer, it equals another rule.
template <class Rule>
Rewriter::Rule of_at_least(std::int64_t count, std::size_t axis, Rule rule) {
  return [count, axis, rule](const Tensor& was, const Tensor& is) {
    return has_axis(was, axis) && was.shape()[axis] >= count ? rule(was, is) : is;
  };
}

/// Adds the mistakes of reading an operand of a product from another head or batch entry.
void add_operand_mistakes(std::vector<Mistake>& table) {
  struct Order {
    const char* name;
    const char* of;  ///< after "each head takes the first operand of its product from"
    std::int64_t fewest;
    std::int64_t (*source)(std::int64_t entry, std::int64_t count);
  };
  constexpr Order orders[] = {{"-of-first-", "the first", 2, first_entry},
                              {"-of-last-", "the last", 2, last_entry},
                              {"-reversed-", "the opposite", 2, reversed_entry},
                              {"-of-next-", "the next", 3, next_entry},
                              {"-of-previous-", "the previous", 3, previous_entry}};
  for (const std::size_t operand : {1U, 0U}) {
    for (const std::size_t axis : {1U, 0U}) {
      const std::string which = operand == 0 ? "first" : "second";
      const std::string where = axis == 1 ? "head" : "entry";
      const std::string each = "each " + where + " takes the " + which + " operand of its product from ";
      const char* const line = axis == 1 ? split_line : batch_line;
      const auto add = [&](const std::string& name, const std::string& sentence, std::int64_t fewest,
                           const auto& change) {
        table.push_back({which + "-operand" + name + where, sentence, line,
                         of_at_least(fewest, axis, with_operand(operand, axis, change))});
      };
      const auto sliced_by = [](std::int64_t (*source)(std::int64_t, std::int64_t)) {
        return [source](const Tensor& x, std::size_t along) { return with_slices(x, along, source); };
      };
      for (const Order& order : orders) {
        add(order.name, each + order.of + " " + where, order.fewest, sliced_by(order.source));
      }
      add("-shared-by-two-", "two neighbours share each " + where + "'s " + which + " operand: grouped queries", 3,
          sliced_by([](std::int64_t entry, std::int64_t) { return entry / 2; }));
    }
  }
}

/// Two axes that a view confuses: turned first and then viewed, or the other way round.
struct Confusion {
  std::int64_t a, b;
  bool is_turned_first;

  Tensor operator()(const Tensor& x) const {
    const Tensor turned = transpose(x, a, b);
    return is_turned_first ? view(contiguous(turned), x.shape())
                           : contiguous(transpose(view(contiguous(x), turned.shape()), a, b));
  }
  std::string axes() const { return std::to_string(a) + " and " + std::to_string(b); }
};

/// Reads an operand of scores or contexts by view where two axes should change places, or the other way round.
Mistake operand_by_view(std::size_t operand, const Confusion& confused) {
  return {"operand-by-view",
          "axes " + confused.axes() + " of the product's " + (operand == 0 ? "first" : "second") +
              " operand are confused by a view or reshape",
          "transpose(" + std::to_string(confused.a) + ", " + std::to_string(confused.b) + ")",
          [operand, confused](const Tensor& was, const Tensor& is) {
            if (was.kind() != Kind::matmul || was.dim() != 4 || was.operands()[operand].dim() != 4) {
              return is;
            }
            std::vector<Tensor> operands = is.operands();
            operands[operand] = confused(operands[operand]);
            return is.with_operands(std::move(operands));
          },
          true};
}

Mistake joined_with(const Confusion& confused) {
  constexpr const char* axes[] = {"the batch", "tokens", "heads", "columns"};
  return {"heads-joined-by-view",
          std::string(axes[confused.a]) + " and " + axes[confused.b] + " are confused by a view when heads are joined",
          join_line,
          [confused](const Tensor& was, const Tensor& is) {
            return joins_heads(was) ? view(confused(contiguous(is.operands()[0])), was.shape()) : is;
          },
          true};
}

void add_view_mistakes(std::vector<Mistake>& table) {
  for (const auto& [a, b] : {std::pair{1, 2}, {2, 3}, {1, 3}, {0, 1}}) {
    for (const bool is_turned_first : {true, false}) {
      const Confusion confused = {a, b, is_turned_first};
      table.push_back(operand_by_view(1, confused));
      table.push_back(joined_with(confused));
      table.push_back(operand_by_view(0, confused));
    }
  }
}

/// Leaves out a term of each sum of products, by setting it to 0 in the first operand.
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

/// Joins the heads of contexts [b, heads, tokens, head_dim] in another order.
Rewriter::Rule joined_as(std::int64_t (*source)(std::int64_t, std::int64_t), std::int64_t fewest = 2) {
  return [source, fewest](const Tensor& was, const Tensor& is) {
    return joins_heads(was) && was.operands()[0].size(2) >= fewest
               ? view(with_slices(is.operands()[0], 2, source), was.shape())
               : is;
  };
}

Tensor joined_innermost(const Tensor& was, const Tensor& is) {
  return joins_heads(was) ? view(contiguous(transpose(is.operands()[0], 2, 3)), was.shape()) : is;
}

/// context.view(b, tokens, d_out) of [b, heads, tokens, head_dim], whichever intermediate steps are shown.
Tensor joined_by_view(const Tensor& was, const Tensor& is) {
  return joins_heads(was) ? view(contiguous(transpose(is.operands()[0], 1, 2)), was.shape()) : is;
}

constexpr MistakeRow slice_rows[] = {
    {"last-term-left-out", "the sum of each product leaves out its last term: off by one", "for i in range(n)",
     [](Steps) { return with_terms(all_but_last); }},
    {"first-term-left-out", "the sum of each product leaves out its first term: off by one", "for i in range(n)",
     [](Steps) { return with_terms(all_but_first); }},
    {"last-head-not-joined", "the last head is left 0 when heads are joined", join_line,
     [](Steps) { return joined_as(all_but_last); }, true},
    {"heads-reversed", "the order of the heads is reversed", split_line,
     [](Steps) { return sliced(has_heads, 1, reversed_entry); }},
    {"one-head-everywhere", "every head is a copy of head 0", split_line,
     [](Steps) { return sliced(has_heads, 1, first_entry); }},
    {"last-head-left-0", "the last head is left at 0", split_line,
     [](Steps) { return sliced(has_heads, 1, all_but_last); }},
    {"heads-joined-reversed", "heads are joined in reverse order", join_line,
     [](Steps) { return joined_as(reversed_entry); }},
    {"heads-joined-from-first-alone", "head 0 is joined num_heads times, in place of each head once", join_line,
     [](Steps) { return joined_as(first_entry); }},
    {"heads-joined-from-next", "heads are joined starting with the second", join_line,
     [](Steps) { return joined_as(next_entry, 3); }},
    {"heads-joined-from-last", "heads are joined starting with the last", join_line,
     [](Steps) { return joined_as(previous_entry, 3); }},
    {"heads-joined-by-view", "heads are joined by view only, without transpose", join_line, always<joined_by_view>},
    {"heads-joined-innermost", "heads are joined with the head axis innermost: column i belongs to head i % num_heads",
     join_line, always<joined_innermost>},
    {"one-entry-everywhere", "every entry of the batch is a copy of entry 0", batch_line,
     [](Steps) { return sliced(has_batch, 0, first_entry); }},
    {"batch-reversed", "the order of the batch's entries is reversed", batch_line,
     [](Steps) { return sliced(has_batch, 0, reversed_entry); }},
    {"last-entry-left-0", "the last entry of the batch is left at 0", batch_line,
     [](Steps) { return sliced(has_batch, 0, all_but_last); }},
    {"last-row-left-0", "the last row is left at 0: never written", "for i in range(num_tokens)",
     [](Steps) { return sliced(has_rows, -2, all_but_last); }},
    {"first-row-left-0", "the first row is left at 0: never written", "for i in range(num_tokens)",
     [](Steps) { return sliced(has_rows, -2, all_but_first); }},
};

}  // namespace

std::vector<Mistake> slice_mistakes() {
  std::vector<Mistake> table = made(slice_rows, {});
  add_operand_mistakes(table);
  add_view_mistakes(table);
  return table;
}

}  // namespace attn
