#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "torch/seed.hpp"
#include "walk/walkthrough.hpp"

namespace attn::render {

/// Why a step is there, shown in numbers.
struct Reason {
  std::string text;
  /// The first row names the columns, the first column the rows; may be empty.
  std::vector<std::vector<std::string>> table;
};

/// Larger tensors are not computed again, nor copied, to be compared.
constexpr std::int64_t most_compared = 1'000'000;

/// What examples are drawn with, in every lesson.
constexpr torch::Seed example_seed = 123;

/// "0.250": so many digits after the point.
std::string fixed_text(double value, int digits);

/// The table's lines, columns two spaces apart.
std::vector<std::string> table_lines(const Reason& reason);

/// Why scores are divided by the square root of the keys' dimension: the variance of dot products, in this tensor
/// (scaled scores, [..., n]) and of random vectors of 4 to 256 dimensions.
std::vector<Reason> scaling_reasons(const Tensor& scaled);

/// Why scores are masked with -inf before softmax: one row of these weights (softmax of masked scores, [..., n, n])
/// beside what 0 before and 0 after softmax would give.
std::vector<Reason> mask_reasons(const Tensor& weights, std::span<const std::string> tokens);

/// Why dropout multiplies with 1 / (1 - p): the mean of an entry over 1 to 1000 masks.
std::vector<Reason> dropout_reasons(const Tensor& dropped);

/// What heads that share one projection are: each computes what its own columns of the weight alone would give.
std::vector<Reason> head_reasons(const Tensor& heads);

/// That the order of tokens plays no role where nothing is masked: the context vectors ([..., n, d]) of the inputs
/// backwards.
std::vector<Reason> order_reasons(const Tensor& context);

/// Which steps of a chapter show which reason: each is shown once, where it first comes up.
class Reasons {
 public:
  /// Asks no tensor for its numbers. The steps of another seed have the same places.
  explicit Reasons(std::span<const Step> steps);

  std::vector<Reason> of(const Step& step, std::span<const std::string> tokens) const;

 private:
  struct Form {
    bool (*fits)(const Step& step);  ///< asked again of each step: with a rule changed, one of that name may be another
    std::vector<Reason> (*show)(const Tensor& tensor, std::span<const std::string> tokens);
  };
  std::map<std::string, Form> by_step_;  ///< by full names
};

}  // namespace attn::render
