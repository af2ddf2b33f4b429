#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lesson/lineage.hpp"
#include "lesson/numbers.hpp"
#include "tensor/tensor.hpp"
#include "text/numbers.hpp"

namespace attn::render {

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
  /// "row [0, 1] (journey)"; "the row" for a vector.
  std::string row_words(std::int64_t row) const;
  /// ": journey attends to starts" if rows and columns are tokens.
  std::string pair_words(std::int64_t position, const std::string& verb) const;
  /// "row [0, 0] (Your) is all 0 ..." for up to three rows.
  void say_empty(const std::vector<std::int64_t>& rows, std::int64_t all, const std::string& reason);
};

/// "9 of 72"
std::string count_text(std::int64_t count, std::int64_t total);
/// "1 head" or "2 heads"
std::string counted(std::int64_t count, const std::string& one, const std::string& many);
/// "from 0.1000 to 0.9000"
std::string range_text(std::span<const float> values);

/// The numbers of a bool tensor.
std::span<const bool> bools(const Contents& contents);
/// Returns true if a batch of at least two entries has the same numbers in each.
bool are_slices_equal(const Tensor& tensor);

/// Looks at a shape.
void notice_shape(Noticing& notice);

// Each looks at the numbers of one kind of tensor.
void notice_integers(Noticing& notice);
void notice_booleans(Noticing& notice);
void notice_given(Noticing& notice, const Numbers& numbers);
void notice_product(Noticing& notice, const Numbers& numbers);
void notice_scores(Noticing& notice, const Numbers& numbers);
void notice_dot(Noticing& notice, const Numbers& numbers);
void notice_weights(Noticing& notice, const Numbers& numbers);
void notice_proportions(Noticing& notice, const Numbers& numbers);
void notice_exponentials(Noticing& notice, const Numbers& numbers);
void notice_sums(Noticing& notice, const Numbers& numbers);
void notice_softmax_gradient(Noticing& notice, const Numbers& numbers);
void notice_mask(Noticing& notice, const Numbers& numbers);
void notice_scaling(Noticing& notice, const Numbers& numbers);
void notice_dropout(Noticing& notice, const Numbers& numbers);
void notice_multiplied(Noticing& notice, const Numbers& numbers);

}  // namespace attn::render
