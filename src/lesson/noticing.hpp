#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lesson/lineage.hpp"
#include "lesson/numbers.hpp"
#include "tensor/tensor.hpp"

namespace attn::render {

/// Collects the notices of one tensor.
class Noticing {
 public:
  Noticing(const Tensor& tensor, std::span<const std::string> tokens) : tensor_(tensor), tokens_(tokens) {}
  /// Notices about the shape and the numbers.
  std::vector<std::string> all();
  std::vector<std::string> of_shape();

 private:
  void say(std::string notice) { notices_.push_back(std::move(notice)); }
  const Tensor& operand(std::size_t i) const { return tensor_.operands()[i]; }

  /// A token's word in quotes, with its number if the word occurs more than once.
  std::string token(std::int64_t i) const;
  std::string token_or_itself(std::int64_t i, std::int64_t self) const { return i == self ? "itself" : token(i); }
  bool has_words(const Tensor& tensor, std::size_t axis) const;
  /// "row [0, 1] (journey)"; "the row" for a vector.
  std::string row_words(const Numbers& numbers, std::int64_t row) const;

  void look_at_shape();
  void projected(std::int64_t d_out);
  void heads_joined();
  void heads_split(const Tensor& view);
  void transposed();
  void parts_joined();

  void look_at_numbers();
  void look_at_floats(const Numbers& numbers);
  void given(const Numbers& numbers);
  /// nn.Linear(d_in, d_out) draws both weight and bias from -1/sqrt(d_in) to 1/sqrt(d_in).
  void linear_range(const Numbers& numbers, std::int64_t d_in);
  void uniform(const Numbers& numbers);
  void normal(const Numbers& numbers);
  void token_rows(const Numbers& numbers);
  void closest_rows(const Numbers& numbers);

  /// Scores of 0 and one other number, and how the queries follow from the keys there.
  void matches(const Numbers& numbers);
  /// The token that every token attends to, if the weights follow a rule: the previous one, itself, the first, ...
  void pattern(const Numbers& numbers);
  /// Rows of weights with a single 1, which copy a row.
  void copied(const Numbers& numbers, const Numbers& weight, const Numbers& values);

  void say_rows_sum_to_one(const std::string& again = "");
  void weights(const Numbers& numbers);
  /// Notices about a softmax along the first axis.
  void weights_over_axis_0(const Numbers& numbers);
  void first_row_alone(const Numbers& numbers);
  /// Mentions a runner-up that looks the same at four digits, so that readers do not doubt the maximum.
  std::string tie_words(std::span<const float> values, std::int64_t best) const;
  void strongest_of_one(const Numbers& numbers);
  /// The largest weight of a matrix, or of the first of equal batch entries, from row `first_row` on.
  void strongest(const Numbers& numbers, std::int64_t first_row);
  /// ": journey attends to starts" if rows and columns are tokens.
  std::string pair_words(std::int64_t position, std::int64_t height, std::int64_t width, const std::string& verb) const;
  std::optional<std::size_t> most_attended(std::span<const float> row) const;
  void favourite(const Numbers& numbers);
  void spread(const Numbers& numbers);

  void masked(const Numbers& numbers);
  void scaled(const Numbers& numbers);
  /// The divisor of all of `before`, taken from the largest number, where rounding matters least.
  static std::optional<double> common_divisor(std::span<const float> before, std::span<const float> after);
  void dropped(const Numbers& numbers);
  bool is_gradient() const { return tensor_.is_without_grad(); }
  bool counts_pairs() const { return operand(0).kind() == Kind::softmax; }
  void means(const Numbers& before, const Numbers& after);
  /// Rows that summed to 1 before dropout: those that lost everything, and the smallest and largest sums now.
  void row_sums_after(const Numbers& numbers, double scale);
  /// "row [0, 0] (Your) is all 0 ..." for up to three rows.
  void say_empty(const Numbers& numbers, const std::vector<std::int64_t>& rows, const std::string& reason);

  void product(const Numbers& numbers);
  void mixture(const Numbers& numbers);
  /// Returns true if each column of each matrix lies between the smallest and the largest number of the values' column.
  static bool lies_between(const Numbers& numbers, const Numbers& values);
  void same_first_row(const Numbers& numbers, const Numbers& weight, const Numbers& values);

  void scores(const Numbers& numbers);
  void scores_of_one(const Numbers& numbers);
  void symmetry(const Numbers& numbers);
  void highest(const Numbers& numbers);
  /// Whether scores of rotated vectors depend on the distance alone.
  void diagonals(const Numbers& numbers);
  void met(const Numbers&);

  void sums(const Numbers& numbers);
  void exponentials(const Numbers& numbers);
  /// Whether the rows of softmax's gradient sum to 0, and whether the first is 0.
  void shifted(const Numbers& numbers);
  /// How many rows of exponentials of what is at most 0 have a 1.
  void relative_to_maximum(const Numbers& numbers);
  void multiplied(const Numbers& numbers);
  /// The bias of the most distant tokens in each head.
  void lost_with_distance(const Numbers& numbers);
  /// How many tokens a sliding window shows.
  void shown_by_window(std::span<const bool> all);
  void divided(const Numbers& numbers);

  void look_at_bools();
  bool is_causal(std::span<const bool> all) const;
  std::string expected_share() const;
  void largest_difference();
  void ids();

  void look_at_batch();

  const Tensor& tensor_;
  std::span<const std::string> tokens_;
  std::vector<std::string> notices_;
};

/// "9 of 72"
std::string count_text(std::int64_t count, std::int64_t total);
/// "1 head" or "2 heads"
std::string counted(std::int64_t count, const std::string& one, const std::string& many);
/// The numbers of a bool tensor.
std::span<const bool> bools(const Contents& contents);
/// Returns true if a batch of at least two entries has the same numbers in each.
bool are_slices_equal(const Tensor& tensor);

}  // namespace attn::render
