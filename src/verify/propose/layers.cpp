#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/bound/patterns.hpp"
#include "verify/propose/divisors.hpp"
#include "verify/propose/rows.hpp"

namespace attn::verify {
namespace {

constexpr std::int64_t most_queries = 8;

/// Scores that may be the operand of a softmax.
struct Scores {
  Tensor tensor;
  std::int64_t inner = 0;  ///< the size whose square root scales them; 0 if it is not known
};

/// The weights of scores, for each divisor, with and without a causal mask.
std::vector<Tensor> weights_of(const Scores& scores, const Givens& givens) {
  std::vector<Tensor> result;
  for (const Divisor& divisor : divisors_of_scores(scores.inner, givens)) {
    result.push_back(softmax(divisor.of(scores.tensor)));
    if (is_square(scores.tensor.shape())) {
      const Tensor masked_scores =
          masked_fill(scores.tensor, causal_mask(scores.tensor.shape()), -std::numeric_limits<float>::infinity());
      result.push_back(softmax(divisor.of(masked_scores)));
    }
  }
  return result;
}

/// Returns true if the target may be the whole matrix or one of its rows.
bool is_whole_or_row(const Search& search, const Shape& shape) {
  return shape == search.shape() ||
         (shape.size() == 2 && search.shape() == Shape{shape[1]} && shape[0] <= most_queries);
}

/// Offers a tensor as it is, or each of its rows.
void offer_whole_or_row(Search& search, const Tensor& tensor) {
  if (tensor.shape() == search.shape()) {
    search.offer(Form::several, tensor);
    return;
  }
  for (std::int64_t i = 0; i < tensor.size(0); ++i) {
    search.offer(Form::several, index(tensor, i));
  }
}

/// The scores of every pair of projections of the same inputs.
template <class Visit>
void for_each_scores(Search& search, const Operands& operands, Visit visit) {
  for (const Projected& q : operands.projected) {
    for (const Projected& k : operands.projected) {
      const Tensor& queries = operands.all[q.operand];
      const Tensor& keys = operands.all[k.operand];
      if (search.has_patience() && q.inputs == k.inputs && q.weights != k.weights &&
          q.is_transposed == k.is_transposed && queries.shape() == keys.shape()) {
        visit(q, k, Scores{matmul(queries, t(keys)), queries.size(-1)});
      }
    }
  }
}

/// [n, n] weights of projections that the page does not print, or one row of them.
void propose_weights(Search& search, const Operands& operands) {
  const Shape& shape = search.shape();
  if (shape.size() > 2 || shape[0] != shape.back() || !may_be_weights(search.target())) {
    return;
  }
  const auto offer = [&](const Scores& scores) {
    for (const Tensor& weights : weights_of(scores, search.givens())) {
      offer_whole_or_row(search, weights);
    }
  };
  for_each_scores(search, operands, [&](const Projected&, const Projected&, const Scores& scores) {
    if (is_whole_or_row(search, scores.tensor.shape())) {
      offer(scores);
    }
  });
  const std::span<const Tensor> leaves(operands.all.data(), operands.leaves);
  for (const Tensor& a : leaves) {
    for (const Tensor& b : leaves) {
      if (shape.size() == 2 && a.dim() == 2 && a.shape() == b.shape() && a.size(0) == shape[0]) {
        offer({matmul(a, t(b)), a.size(1)});
      }
    }
  }
}

/// The weights [n] of one query, by its scores against keys: softmax, or shares of their sum.
void propose_weights_of(Search& search, const Tensor& keys, const Tensor& query) {
  if (!search.has_patience() || keys.dim() != 2 || keys.size(0) != search.shape()[0] || keys.size(1) != query.size(0)) {
    return;
  }
  const Scores scores{matvec(keys, query), keys.size(1)};
  for (const Tensor& weights : weights_of(scores, search.givens())) {
    search.offer(Form::several, weights);
  }
  search.offer(Form::several, divide(scores.tensor, sum(scores.tensor)));
}

void propose_weights_of_one(Search& search, const Operands& operands) {
  if (search.shape().size() != 1 || !may_be_weights(search.target())) {
    return;
  }
  for (const Tensor& query : std::span<const Tensor>(operands.all.data(), operands.leaves)) {
    for (const Tensor& keys : operands.all) {
      if (query.dim() == 1) {
        propose_weights_of(search, keys, query);
      }
      for (std::int64_t i = 0; query.dim() == 2 && i < std::min(query.size(0), most_queries); ++i) {
        propose_weights_of(search, keys, index(query, i));
      }
    }
  }
}

/// Context vectors of one tensor of scores: its weights, computed once values fit, times values.
class Contexts {
 public:
  Contexts(Search& search, Scores scores) : search_(search), scores_(std::move(scores)) {}

  void propose(const Tensor& values) {
    const auto shape = product_shape(scores_.tensor.shape(), values.shape(), false);
    if (!search_.has_patience() || values.dim() < 2 || !shape || !is_whole_or_row(search_, *shape)) {
      return;
    }
    if (weights_.empty()) {
      weights_ = weights_of(scores_, search_.givens());
    }
    for (const Tensor& weights : weights_) {
      offer_whole_or_row(search_, matmul(weights, values));
    }
  }

 private:
  Search& search_;
  Scores scores_;
  std::vector<Tensor> weights_;
};

}  // namespace

void propose_layers(Search& search, const Operands& operands) {
  if (search.shape().empty()) {
    return;
  }
  propose_weights(search, operands);
  propose_weights_of_one(search, operands);
  for (const Leaf& leaf : search.leaves()) {
    Contexts contexts(search, {leaf.tensor, 0});
    for (const Tensor& values : operands.all) {
      contexts.propose(values);
    }
  }
  if (search.has(Form::several) || search.shape().size() > 2) {
    return;
  }
  for_each_scores(search, operands, [&](const Projected& queries, const Projected& keys, Scores scores) {
    Contexts contexts(search, std::move(scores));
    for (const Projected& values : operands.projected) {
      if (values.inputs == keys.inputs && values.weights != keys.weights && values.weights != queries.weights &&
          values.is_transposed == keys.is_transposed) {
        contexts.propose(operands.all[values.operand]);
      }
    }
  });
}

}  // namespace attn::verify
