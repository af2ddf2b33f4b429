#pragma once

#include <limits>
#include <string_view>

#include "tensor/operations.hpp"
#include "walk/walkthrough.hpp"

namespace attn {

/// A known mistake: one line of an attention program, changed.
struct Mistake {
  std::string name;      ///< "no-scaling"
  std::string sentence;  ///< "the scores are not divided"
  std::string instead;   ///< the line to write: "attn_scores / keys.shape[-1]**0.5"
  Rewriter::Rule rule;   ///< the same program with the mistake
};

using Steps = std::span<const Step>;

/// A row of the tables: a mistake whose rule is made for the steps at hand.
struct MistakeRow {
  std::string_view name;
  std::string_view sentence = {};
  std::string_view instead = {};
  Rewriter::Rule (*rule)(Steps steps) = nullptr;
};

Mistake made(const MistakeRow& row, Steps steps);

/// The mistakes that --what-if has, in several tables.
std::vector<std::span<const MistakeRow>> what_if_mistakes();

/// The mistake of --what-if with that name, which must exist.
Mistake mistake_of(std::string_view name, Steps steps);

// ---- The lines that are written otherwise ---------------------------------------------------------

inline constexpr const char* scaling_line = "attn_scores / keys.shape[-1]**0.5";
inline constexpr const char* mask_line =
    "attn_scores.masked_fill(torch.triu(torch.ones(n, n), diagonal=1).bool(), -torch.inf)";
inline constexpr const char* softmax_line = "torch.softmax(scores, dim=-1)";
inline constexpr const char* values_line = "attn_weights @ values";
inline constexpr const char* dropout_line = "weights * keep_mask / (1 - p)";
inline constexpr const char* slopes_line = "2 ** (-8 * i / n) for i in 1 ... n heads; n must be a power of two";
inline constexpr const char* window_line = "attn_scores.masked_fill((j > i) | (j <= i - window), -torch.inf)";
inline constexpr const char* frequencies_line = "10000 ** (-2 * i / d) for pair i of d columns";

// ---- What a tensor is -----------------------------------------------------------------------------

template <Kind kind>
bool is_a(const Tensor& tensor) {
  return tensor.kind() == kind;
}

/// Returns true if a rewritten tensor is still made as it was, and nobody's numbers stand in its place.
inline bool is_made_alike(const Tensor& was, const Tensor& is) {
  return is.kind() == was.kind() && is.operands().size() == was.operands().size();
}

/// Returns true for scores hidden by a mask.
bool hides(const Tensor& tensor);

/// Returns true for a product: x @ W, or of two tensors.
bool is_product(const Tensor& tensor);

/// Returns true for a projection of a layer's input, x @ W, and false for the last projection of joined heads.
bool projects_inputs(const Tensor& tensor);

/// Returns true for attn_weights @ values.
bool weighs_values(const Tensor& tensor);

/// Returns true for scores whose last column is a sink's: a score of no token.
bool has_sink(const Tensor& scores);
/// The softmax that gives these weights of tokens, without a sink's column; null if they are none.
const Tensor* softmax_of_weights(const Tensor& tensor);

/// Returns true for slopes * (positions.T - positions), linear biases.
bool is_alibi(const Tensor& tensor);
/// Returns true for the positions of keys minus those of queries, which biases are multiples of.
bool are_distances(const Tensor& tensor);

/// The angles of position encodings; null for other tensors.
const Tensor* angles_of(const Tensor& encodings);
/// Returns true for positions [n, 1] times frequencies [d], which encodings and rotations are made of.
bool are_angles(const Tensor& tensor);
/// Returns true for inputs + encodings, or + learned embeddings.
bool adds_positions(const Tensor& tensor);

inline constexpr float infinity = std::numeric_limits<float>::infinity();

using Numbers = std::vector<float>;
Numbers numbers_of(const Tensor& tensor);

// ---- Rules ----------------------------------------------------------------------------------------

/// A rule that is the same for all steps.
template <Tensor (*instead)(const Tensor& was, const Tensor& is)>
Rewriter::Rule always(Steps) {
  return instead;
}

/// A rule that replaces each operation of one kind.
template <class Instead>
Rewriter::Rule for_each(Kind kind, Instead instead) {
  return [kind, instead](const Tensor& was, const Tensor& is) { return was.kind() == kind ? instead(was, is) : is; };
}

/// The same for all steps.
template <Kind kind, Tensor (*instead)(const Tensor& was, const Tensor& is)>
Rewriter::Rule each(Steps) {
  return for_each(kind, instead);
}

/// A rule that takes softmax along another axis than the last.
Rewriter::Rule softmax_along(std::int64_t axis);

/// A rule that computes queries, keys and values with the projections given by `source`, in the same section.
Rewriter::Rule made_with(Steps steps, std::array<std::size_t, 3> source);

/// A rule that takes pairs of columns apart and joins them as others.
Rewriter::Rule paired_as(Steps steps, Pairs pairs);

/// The angles of position encodings and of rotations, each with the columns of what they are for.
std::map<const Tensor*, std::int64_t> all_angles(Steps steps);

/// A rule for other frequencies, base ** (-factor * i / d), of all angles.
Rewriter::Rule with_frequencies(Steps steps, std::int64_t base, std::int64_t factor);

/// A rule that replaces the slopes: `instead` gets theirs, one for each head.
Rewriter::Rule with_slopes(Steps steps, const std::function<Tensor(const Tensor& slopes)>& instead);
/// 2 ** (-8 i / heads) for i from `first`, for any number of heads.
Tensor slopes_by_count(const Tensor& slopes, std::int64_t first);

/// The rows about positions and biases.
std::span<const MistakeRow> position_rows();

}  // namespace attn
