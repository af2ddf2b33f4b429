#include "walk/mistakes/subjects.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/operations.hpp"
#include "walk/mistake_rules.hpp"

namespace attn {
namespace {

Tensor keys_reshaped(const Tensor& was, const Tensor& is) {
  const Tensor& right = is.operands()[1];
  return meets_keys(was) && right.kind() == Kind::transpose
             ? matmul(is.operands()[0], view(contiguous(right.operands()[0]), right.shape()))
             : is;
}

/// Divides each row by its length.
Tensor of_length_1(const Tensor& x) {
  return made_by_rows(x, [](std::span<float> row) {
    double squares = 0;
    std::ranges::for_each(row, [&](float one) { squares += static_cast<double>(one) * one; });
    std::ranges::for_each(row, [&](float& one) { one = static_cast<float>(one / std::sqrt(squares)); });
  });
}

Tensor cosines(const Tensor& was, const Tensor& is) {
  const Tensor& right = is.operands()[1];
  return meets_keys(was) && right.kind() == Kind::transpose
             ? matmul(of_length_1(is.operands()[0]),
                      transpose(of_length_1(right.operands()[0]), right.dim() - 2, right.dim() - 1))
             : is;
}

/// The negative squared distance, 2 q k - q q - k k.
Tensor distances(const Tensor& was, const Tensor& is) {
  if (!meets_keys(was)) {
    return is;
  }
  const Tensor keys = transpose(is.operands()[1], is.operands()[1].dim() - 2, is.operands()[1].dim() - 1);
  return made_of(is, [queries = contiguous(is.operands()[0]), keys = contiguous(keys), rows = rows_of(is),
                      columns = width_of(is)](Numbers& numbers) {
    const auto squares = [](const Tensor& x) {
      const Numbers own = numbers_of(x);
      std::vector<double> sums(own.size() / width_of(x));
      for (std::size_t i = 0; i < own.size(); ++i) {
        sums[i / width_of(x)] += static_cast<double>(own[i]) * own[i];
      }
      return sums;
    };
    const std::vector<double> of_queries = squares(queries);
    const std::vector<double> of_keys = squares(keys);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t row = i / columns;
      numbers[i] = static_cast<float>(2.0 * numbers[i] - of_queries[row] - of_keys[row / rows * columns + i % columns]);
    }
  });
}

Tensor scaled_in_first_head(const Tensor& was, const Tensor& is) {
  if (was.operation().facts().root_of == 0 || was.dim() != 4 || was.size(1) < 2) {
    return is;
  }
  const std::int64_t inner = was.size(2) * was.size(3);
  return made_of(is.operands()[0],
                 [inner, heads = was.size(1),
                  root = std::sqrt(static_cast<float>(was.operation().facts().root_of))](Numbers& numbers) {
                   for (std::size_t i = 0; i < numbers.size(); ++i) {
                     numbers[i] = static_cast<std::int64_t>(i) / inner % heads == 0 ? numbers[i] / root : numbers[i];
                   }
                 });
}

/// Sums the values times a number made of each weight.
Rewriter::Rule weighted_by(float (*weight)(float)) {
  return [weight](const Tensor& was, const Tensor& is) {
    return !weighs_values(was) ? is : with_first_operand(is, made_of(is.operands()[0], [weight](Numbers& numbers) {
                                                           std::ranges::transform(numbers, numbers.begin(), weight);
                                                         }));
  };
}

/// Adds to contexts the queries that their weights are made with.
Tensor with_queries(const Tensor& was, const Tensor& is) {
  if (!weighs_values(was)) {
    return is;
  }
  const Tensor* scores = &was.operands()[0];
  while (scores->kind() != Kind::matmul && !scores->operands().empty()) {
    scores = &scores->operands()[0];
  }
  if (scores->kind() != Kind::matmul) {
    return is;
  }
  const Tensor& first = scores->operands()[0];
  const Tensor& queries = first.kind() == Kind::scaled ? first.operands()[0] : first;
  return queries.shape() == was.shape() ? add(is, queries) : is;
}

Tensor with_values(const Tensor& was, const Tensor& is) {
  return weighs_values(was) && was.shape() == was.operands()[1].shape() ? add(is, is.operands()[1]) : is;
}

Tensor divided_by_tokens(const Tensor& was, const Tensor& is) {
  return weighs_values(was) ? divide(is, static_cast<double>(was.operands()[1].size(-2)), "") : is;
}

/// The mean of the scores and the transposed ones; inputs @ inputs.T is symmetric already.
Tensor symmetric(const Tensor& was, const Tensor& is) {
  if (meets_keys(was) && was.operands()[0].id() == was.operands()[1].operands()[0].id()) {
    return is;
  }
  return meets_keys(was) && was.dim() >= 2 && was.size(-1) == was.size(-2)
             ? divide(add(is, contiguous(transpose(is, is.dim() - 2, is.dim() - 1))), 2, "")
             : is;
}

constexpr MistakeRow score_rows[] = {
    {"scaled-negated", "the scores are divided by the negative of the square root of the keys' dimension", scaling_line,
     [](Steps) { return scaled_by([](std::int64_t size) { return -std::sqrt(static_cast<double>(size)); }); }},
    {"scaled-by-fourth-root",
     "the scores are divided by the fourth root of the keys' dimension: only queries or only keys are scaled",
     scaling_line,
     [](Steps) { return scaled_by([](std::int64_t size) { return std::pow(static_cast<double>(size), 0.25); }); }},
    {"scaled-by-8", "the scores are divided by 8, the square root of 64, regardless of the keys' dimension",
     scaling_line, [](Steps) { return divided_by(8); }},
    {"multiplied-by-dimension", "the scores are multiplied by the keys' dimension, not divided by its square root",
     scaling_line, [](Steps) { return scaled_by([](std::int64_t size) { return 1 / static_cast<double>(size); }); },
     true},
    {"scaled-head-0-alone", "only the scores of head 0 are scaled", scaling_line, always<scaled_in_first_head>},
    {"cosine", "queries and keys are divided by their lengths: the scores are cosines", scores_line,
     each<Kind::matmul, cosines>},
    {"negative-distance", "the scores are negative squared distances of queries and keys, not their products",
     scores_line, each<Kind::matmul, distances>},
    {"keys-reshaped", "the keys are reshaped by view, not transposed, before the product with the queries", scores_line,
     each<Kind::matmul, keys_reshaped>},
    {"values-summed", "the values of all tokens are added up without weights", values_line,
     [](Steps) { return weighted_by([](float) { return 1.0F; }); }},
    {"values-summed", "the values of all visible tokens are added up without weights", values_line,
     [](Steps) { return weighted_by([](float weight) { return weight == 0 ? 0.0F : 1.0F; }); }},
    {"queries-added", "the queries are added to the contexts: a residual connection that belongs after the layer",
     values_line, always<with_queries>},
    {"values-added", "the values are added to the contexts: a residual connection that belongs after the layer",
     values_line, always<with_values>},
    {"contexts-divided-by-tokens", "the contexts are divided by the number of tokens", values_line,
     always<divided_by_tokens>},
    {"scores-symmetric", "the scores are symmetrised: the mean of the scores and the transposed ones", scores_line,
     each<Kind::matmul, symmetric>},
};

}  // namespace

std::span<const MistakeRow> score_mistakes() { return score_rows; }

}  // namespace attn
