#pragma once

#include <cmath>
#include <map>
#include <span>
#include <string_view>

#include "tensor/operations.hpp"
#include "tensor/tensor.hpp"
#include "verify/observed/observed.hpp"

namespace attn::verify {

/// The meaning of a tensor's name in programs, libraries, papers and tutorials.
struct Meant {
  enum class Kind { any, weight, bias };

  Kind kind = Kind::any;
  std::string section;             ///< "head_1" of "heads.0.W_key.weight"; may be empty
  std::vector<std::string> steps;  ///< the steps with such a name, without their sections; the likeliest first
  std::vector<std::vector<std::string>>
      parts;                ///< for a fused tensor: the steps in it, side by side; one such list or more
  bool is_final = false;    ///< by its name a layer's result: after the output projection, if there is one
  bool is_columns = false;  ///< a weight stored as [d_in, d_out]: Flax's kernel, GPT-2's Conv1D
  bool is_certain = false;  ///< the whole name is known, except for the layers before it; not just one word of it
};

/// Reads a name; layers may precede it ("model.layers.0.self_attn.q_proj.weight").
Meant meant_by(std::string_view name);

/// The name in lower case with _ between words: "attnScores" becomes "attn_scores".
std::string plain_name(std::string_view name);

struct Axis {
  std::string label;  ///< "B", "H", "T", "S" (keys of attention weights), "d", "D" (d of all heads), "d_out", "d_in"
  std::int64_t size;
  std::int64_t step;       ///< stride, in cells
  std::string whole = {};  ///< for a part of an axis: that axis
};

/// Returns true if the last two axes both count tokens: scores, weights, masks.
bool is_token_by_token(const Tensor& tensor);

bool is_weight(const Tensor& tensor);

/// Returns the target's cell for each number, in order: the cells of `atoms` from `first` on.
std::vector<std::int64_t> cells_of(const std::vector<Axis>& atoms, std::int64_t first);

/// A tensor that somebody's numbers may be.
struct Target {
  const Tensor& tensor;
  SharedNumbers right;     ///< its numbers, row-major
  std::int64_t heads = 1;  ///< that d_out is divided among
};

/// A port's numbers, rearranged to a target's shape.
struct Laid {
  SharedNumbers values = {};             ///< row-major; the right ones where the port has none
  std::vector<std::int64_t> cells = {};  ///< the cells that the port has, in order; empty: all
  std::string words = {};  ///< the layout: "[B, T, H, d]", "entry 1 of the batch"; empty if it is the target's
  bool is_named = false;   ///< it is the head that the tensor's name says
  bool is_plain = true;    ///< laid out like the target, except for axes of size 1
  bool is_turned = false;  ///< weights with a column for each query: a layout only where all are right
};

/// Returns true for a number that hides a score: far below the others.
inline bool is_hiding(double value) { return value < -1e3; }

/// Tries each layout that programs use for such a target and that the tensor's shape allows, the plainest first, until
/// one is taken. A reshape that moves numbers to other axes is not a layout. Does nothing if no layout has this shape.
void lay_out(const Observed& theirs, const Target& target, const std::function<bool(Laid&& laid)>& take);

/// The ways to split a fused tensor into parts of the given sizes (numbers of elements).
std::vector<std::vector<Observed>> taken_apart(const Observed& theirs, std::span<const std::int64_t> sizes,
                                               std::int64_t heads);

/// What rounding does to a computation, estimated for whole tensors: each is computed again from operands that are
/// moved by their rounding, in sums by what another order of summation may change, and the two are compared row by row.
class Noise {
 public:
  /// `roundoff` is the largest relative rounding of the arithmetic; by default float32's.
  explicit Noise(double roundoff = 0x1p-24);
  Noise(const Noise&) = delete;
  Noise& operator=(const Noise&) = delete;

  /// By how much right arithmetic may miss the tensor's number at a row-major position: a few times the noise of its
  /// row. 0 for a leaf, and for what is no float32.
  double at(const Tensor& tensor, std::int64_t position);

 private:
  struct Rows {
    std::int64_t width = 1;     ///< cells of a row, or of some short ones
    std::vector<double> noise;  ///< of each row
  };
  Rows rows_of(const Tensor& tensor);
  /// Moves what each tensor is made of.
  Rewriter shaker(std::uint32_t salt);
  void forget();

  double roundoff_;
  std::vector<Rewriter> shakers_;
  std::unordered_map<const void*, Rows> known_;
  std::vector<Tensor> seen_;  ///< whose ids are theirs as long as they are here
  std::int64_t held_ = 0;     ///< numbers of these
};

/// A port's wrong tensors, which replace the lesson's. Right ones are not replaced, so that a step's operands stay
/// known there.
class PortOperands {
 public:
  /// The first of several stays; slices are put together.
  void add(const Tensor& tensor, const Laid& laid);
  void put(const Tensor& tensor, const Tensor& is);
  bool empty() const { return tensors_.empty(); }

  /// Computes the tensor from the port's operands, except for the one being judged, and under one more rule for what is
  /// not the port's; none if sizes do not fit.
  std::optional<Tensor> remade(const Tensor& tensor, const Tensor& judged, const Rewriter::Rule& rule = {}) const;
  std::optional<Tensor> remade(const Tensor& judged) const { return remade(judged, judged); }

 private:
  std::map<const void*, Tensor> tensors_;
};

/// Returns true if a tensor is made of another in a few operations, as weights are of scores.
bool is_made_of(const Tensor& made, const Tensor& other);

/// How far a number may be from the right one: atol + rtol * |right|. The defaults are those of
/// torch.testing.assert_close for float32.
struct Tolerance {
  double rtol = 1.3e-6;
  double atol = 1e-5;
  bool grows =
      true;  ///< with what float32 may be off by in all that a cell is made of; false where somebody says how far
};

/// A port's numbers compared with the right ones, cell by cell. nan equals nan; infinities of one sign are equal.
struct Comparison {
  std::int64_t cells = 0;
  std::vector<std::int64_t> mismatched;  ///< in order

  double greatest_absolute = 0;  ///< difference; infinite if only one of the two is a number
  std::int64_t absolute_at = 0;  ///< its cell
  double greatest_right = 0;     ///< finite number

  bool holds() const { return mismatched.empty(); }
  /// Returns true if all differences are numbers, and below 1 % of the greatest: what rounding may explain.
  bool is_near() const { return greatest_absolute < 1e-2 * greatest_right; }
};

/// Compares equally many numbers: only these cells or, if there are none, all.
Comparison compare(std::span<const double> theirs, std::span<const double> right, const Tolerance& tolerance,
                   std::span<const std::int64_t> cells = {});

/// Returns true if a number is within the tolerance of the right one.
bool is_held(double theirs, double right, const Tolerance& tolerance);

/// Returns true if arithmetic in another order of summation, or wider, may give the cells that are out of tolerance:
/// they miss the tensor's numbers `right` by its noise. Checks the farthest first, up to one that it may not give.
bool are_within(Noise& noise, std::span<const double> theirs, std::span<const double> right, const Tensor& tensor,
                const Comparison& comparison, const Tolerance& tolerance);

/// The right numbers, and how near a port's must be. Keeps the last tensors' numbers.
class Right {
 public:
  Right(const Tolerance& tolerance, std::int64_t heads) : tolerance_(tolerance), heads_(heads) {}

  SharedNumbers values(const Tensor& tensor);
  /// Finds the cells that are out of tolerance and that noise does not explain, and by how much.
  Comparison compare(const Laid& theirs, const Tensor& right);
  bool holds(const Laid& theirs, const Tensor& right);
  const Tolerance& tolerance() const { return tolerance_; }
  std::int64_t heads() const { return heads_; }

  /// Returns the first layout of theirs in which they hold; else none.
  std::optional<Laid> holding(const Observed& theirs, const Tensor& right);
  /// How much numbers differ from a step's, from 0 to 1; more if they are hidden where nothing is.
  double distance(const Laid& theirs, const Tensor& right);
  /// Returns true if there is a layout of theirs, whatever their numbers.
  bool has_layout(const Observed& theirs, const Tensor& right);
  /// Returns the layout with the fewest wrong numbers, and of several slices the most similar; none if no layout has
  /// the shape.
  std::optional<Laid> nearest(const Observed& theirs, const Tensor& right);

 private:
  struct Known {
    Tensor tensor;  ///< keeps its id from being another tensor's
    SharedNumbers values;
  };
  /// Its numbers are computed once a layout needs them.
  Target target_of(const Tensor& right) {
    return {right, SharedNumbers([this, right] { return values(right); }), heads_};
  }
  bool may_be_noise(const Comparison& plain, const Tensor& right) const;

  Tolerance tolerance_;
  std::int64_t heads_;
  Noise noise_;
  std::map<const void*, Known> known_;
  std::int64_t held_ = 0;  ///< numbers in known_
};

}  // namespace attn::verify
