#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "lesson/explain.hpp"
#include "tensor/tensor.hpp"
#include "text/numbers.hpp"

/// Views a float tensor's numbers row by row along its last axis.
namespace attn::render {

struct Numbers {
  explicit Numbers(const Tensor& tensor);

  std::span<const float> row(std::int64_t i) const;
  std::span<const float> all() const;
  /// The element at a position, counted row-major.
  float at(std::int64_t i) const { return all()[static_cast<std::size_t>(i)]; }

  std::shared_ptr<const Contents> contents;
  Shape shape;
  std::int64_t width;  ///< of the last axis; 1 for a scalar
  std::int64_t rows;
};

double row_total(std::span<const float> row);
/// Infinite if a difference is no number.
double largest_difference(std::span<const float> a, std::span<const float> b);
bool near(double a, double b, double tolerance = 1e-5);

/// Returns true if no number is negative and every row sums to 1.
bool has_weight_rows(const Numbers& numbers);

/// Returns true if the last two axes form a square of at least two rows.
bool has_squares(const Shape& shape);

/// Returns true if every number above the diagonal of the last two axes is `value`.
bool is_above_diagonal(const Numbers& numbers, float value);

/// "[0, 1]": the index of a row or, with `numbers.shape`, of an element, counted row-major.
std::string place_text(std::int64_t position, std::span<const std::int64_t> shape);

/// The position of the largest element; empty if it is not unique, or if all are NaN.
std::optional<std::int64_t> only_largest(std::span<const float> values);

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// A tensor, and the notices about it so far.
struct Noticing {
  const Tensor& tensor;
  std::span<const std::string> tokens;  ///< words for the rows of `inputs`
  std::vector<std::string> notices = {};

  void say(std::string notice) { notices.push_back(std::move(notice)); }
  const Tensor& operand(std::size_t i) const { return tensor.operands()[i]; }
  bool is_gradient() const { return tensor.is_without_grad(); }
  bool counts_pairs() const { return operand(0).kind() == Kind::softmax; }

  /// A token's word in quotes, with its number if the word occurs more than once.
  std::string token(std::int64_t i) const;
  std::string token_or_itself(std::int64_t i, std::int64_t self) const { return i == self ? "itself" : token(i); }
  bool has_words(std::size_t axis) const;
  /// Returns true if both rows and columns have words.
  bool has_words() const;
  bool is_square_of_tokens() const;
  /// ": journey attends to starts" if rows and columns are tokens.
  std::string pair_words(std::int64_t position, const std::string& verb) const;
};

/// "9 of 72"
std::string count_text(std::int64_t count, std::int64_t total);
/// "from 0.1000 to 0.9000"
std::string range_text(std::span<const float> values);

/// The numbers of a bool tensor.
std::span<const bool> bools(const Contents& contents);
/// Returns true if a batch of at least two entries has the same numbers in each.
bool are_slices_equal(const Tensor& tensor);

// Each looks at the numbers of one kind of tensor.
void notice_product(Noticing& notice, const Numbers& numbers);
void notice_scores(Noticing& notice, const Numbers& numbers);
void notice_weights(Noticing& notice, const Numbers& numbers);
void notice_sums(Noticing& notice, const Numbers& numbers);
void notice_softmax_gradient(Noticing& notice, const Numbers& numbers);
void notice_mask(Noticing& notice, const Numbers& numbers);
void notice_scaling(Noticing& notice, const Numbers& numbers);
void notice_dropout(Noticing& notice, const Numbers& numbers);
void notice_multiplied(Noticing& notice, const Numbers& numbers);

}  // namespace attn::render
