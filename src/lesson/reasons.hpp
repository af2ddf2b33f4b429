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

/// The reason for a step, shown in numbers.
struct Reason {
  std::string text;
  /// The first row names the columns, the first column the rows; may be empty.
  std::vector<std::vector<std::string>> table;
};

/// The largest number of elements in a tensor that is recomputed or copied for a comparison.
constexpr std::int64_t most_compared = 1'000'000;

/// The seed of the examples in every lesson.
constexpr torch::Seed example_seed = 123;

/// "0.250": the value with `digits` decimals.
std::string fixed_text(double value, int digits);

/// The table's lines, columns two spaces apart.
std::vector<std::string> table_lines(const Reason& reason);

/// Shows why scores are divided by the square root of the keys' dimension: the variance of dot products in this tensor
/// (scaled scores, [..., n]) and of random vectors of 4 to 256 dimensions.
std::vector<Reason> scaling_reasons(const Tensor& scaled, std::span<const std::string> tokens);

/// Shows why scores are masked with -inf before softmax: one row of these weights (softmax of masked scores, [..., n,
/// n]) beside the rows that 0 before and 0 after softmax would give.
std::vector<Reason> mask_reasons(const Tensor& weights, std::span<const std::string> tokens);

/// Assigns reasons to a chapter's steps: each is shown once, at the first step that it fits.
class Reasons {
 public:
  /// Evaluates no tensor. The steps of another seed have the same places.
  explicit Reasons(std::span<const Step> steps);

  std::vector<Reason> of(const Step& step, std::span<const std::string> tokens) const;

 private:
  struct Row {
    bool (*fits)(const Tensor& tensor);  ///< asked of each step's tensor: a changed rule may alter it
    std::vector<Reason> (*show)(const Tensor& tensor, std::span<const std::string> tokens);
  };
  static const Row rows[];
  std::map<std::string, const Row*> by_step_;  ///< by full name
};

}  // namespace attn::render
