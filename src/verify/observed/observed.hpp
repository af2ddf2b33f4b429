#pragma once

#include <limits>
#include <unordered_map>

#include "files/read/read.hpp"
#include "tensor/operations.hpp"
#include "tensor/tensor.hpp"
#include "verify/page/page.hpp"

/// Whether the numbers that somebody shows are a tensor's: decided here alone, for pages and ports.
namespace attn::verify {

/// A number known up to rounding.
struct Interval {
  double low = 0;
  double high = 0;

  double middle() const { return low == high ? low : (low + high) / 2; }
  double radius() const { return low == high ? 0 : (high - low) / 2; }
  /// The largest absolute value.
  double size() const { return std::max(std::abs(low), std::abs(high)); }
};

/// An undefined result: infinity times zero, or zero divided by zero.
inline constexpr Interval no_number = {NAN, NAN};

inline bool is_whole(const Interval& x) { return x.low == x.high && x.low == std::floor(x.low); }

/// The amount by which float32 arithmetic may change a number of this size.
inline double slack(double value) { return 3e-7 * std::max(1.0, std::abs(value)); }

/// Returns true if two numbers may be equal: the intervals meet, with a slack in proportion to them, as many numbers
/// are small.
inline bool meet(const Interval& a, const Interval& b) {
  constexpr double least = 1.2e-38;  // less is 0 to most kernels
  const double room = slack(1) * a.size() + least;
  return std::isinf(a.low) || std::isinf(b.low) ? a.low == b.low : a.low <= b.high + room && b.low <= a.high + room;
}

/// The interval from the smallest to the largest number; no_number if any is undefined.
inline Interval hull(double a, double b, double c, double d) {
  const bool is_defined = !std::isnan(a) && !std::isnan(b) && !std::isnan(c) && !std::isnan(d);
  return is_defined ? Interval{std::min({a, b, c, d}), std::max({a, b, c, d})} : no_number;
}

inline Interval times(const Interval& a, const Interval& b) {
  return hull(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

/// a / b; no_number if b may be 0.
inline Interval over(const Interval& a, const Interval& b) {
  const bool may_be_0 = b.low <= 0 && b.high >= 0;
  return may_be_0 ? no_number : hull(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
}

using files::SharedNumbers;

/// What somebody shows of a tensor, on a page or in a file: its numbers, each up to rounding, row-major.
struct Observed {
  std::string name = {};     ///< in a file: "attn_scores", "head_1/keys"; empty on a page
  Shape shape;               ///< on a page: of the shown items
  std::string dtype = {};    ///< as in the file; on a page "bool" or empty
  SharedNumbers values;      ///< as they are shown; nan also where a number is damaged
  SharedNumbers radii = {};  ///< half a unit of the last digit, or a tolerance; nan where damaged; empty if exact
  std::vector<bool> are_scientific = {};            ///< printed with an exponent, each; empty if none is
  std::vector<std::int64_t> shown_before_gap = {};  ///< for each axis, the items before "...", or -1; empty if all are

  bool has_gap() const { return !shown_before_gap.empty(); }
  std::size_t rank() const { return shape.size(); }
  std::size_t size() const { return values.size(); }
  bool is_scientific(std::size_t i) const { return !are_scientific.empty() && are_scientific[i]; }
  /// One unit of a cell's last digit; 0 if it is exact.
  double unit(std::size_t i) const { return radii.empty() ? 0 : 2 * radii[i]; }
  /// Between which numbers the true one lies.
  Interval cell(std::size_t i) const {
    const double radius = radii.empty() ? 0 : radii[i];
    return {values[i] - radius, values[i] + radius};
  }
  std::vector<Interval> cells() const;
};

/// Converts a position to the standard library's index type.
inline std::size_t at(std::int64_t position) { return static_cast<std::size_t>(position); }

/// A printed tensor's numbers, each with half a unit of its last digit on either side; none of a size, or if it is
/// printed in rows of different lengths. True is 1.
std::optional<Observed> shown_of(const Printed& printed);

/// Returns true if a tensor of this shape may be shown so.
bool may_show(const Observed& observed, const Shape& shape);

/// The numbers of a tensor that are shown in the same places; its shape must fit. No others are computed if there is a
/// gap.
std::vector<double> shown_values(const Observed& observed, const Tensor& tensor);

/// The row-major position of a shown cell in a tensor of this shape.
std::int64_t shown_position(const Observed& observed, const Shape& shape, std::int64_t cell);

/// A number in the notation of a shown one with this unit: with as many digits.
std::string written_like(double shown, double unit, bool is_scientific, double value);

/// A tensor's numbers, row-major, whatever its dtype.
std::vector<double> values_of(const Tensor& tensor);

/// A tensor with this name and the observed numbers.
Tensor leaf_of(const Observed& observed, const std::string& name);

/// The bool tensor of a shape that is True at these positions.
Tensor mask_at(const Shape& shape, const std::vector<bool>& places, const std::string& words);

/// How a tensor's elements follow from those of others, for an operation that no lesson has.
struct Mapping {
  std::function<std::vector<Element>(const Shape&)> elements;  ///< the elements that an element depends on
  /// The element at that place, computed from them.
  std::function<double(std::span<const double>, const Shape&)> number;
};

/// Creates a tensor of this shape with this mapping. Its words, which say nothing, have a question mark.
Tensor mapped(std::vector<Tensor> operands, const Shape& shape, Mapping mapping);

/// Bounds for a tensor's cells, given those of observed tensors: every number that the arithmetic may give, in any
/// order of summation, lies in the interval. The operations' derivations define the arithmetic. Cells are bounded on
/// demand, and bounds that others need are kept.
class Bounds {
 public:
  /// `roundoff` is the largest relative rounding of the arithmetic; by default float32's.
  explicit Bounds(double roundoff = 0x1p-24) : roundoff_(roundoff) {}

  /// Sets the tensor's cells, row-major. Its own derivation is then ignored.
  void observe(const Tensor& tensor, std::vector<Interval> cells) {
    observed_.insert_or_assign(tensor.id(), std::pair(tensor, std::move(cells)));
  }
  /// Discards everything that was not observed.
  void forget() { kept_.clear(); }
  /// Discards the observation of a tensor.
  void forget(const Tensor& tensor) { observed_.erase(tensor.id()); }
  bool is_observed(const Tensor& tensor) const { return observed_.contains(tensor.id()); }

  /// The bound of a cell by row-major position. Dropped and masked cells are exact.
  Interval cell(const Tensor& tensor, std::int64_t position);

  /// The number of derivation terms bounded one by one so far, as a measure of cost.
  std::int64_t cost() const { return cost_; }

 private:
  /// Cells with their tensor, which keeps its id from being another's.
  template <class Cells>
  using OfTensors = std::unordered_map<const void*, std::pair<Tensor, Cells>>;

  Interval cell(const Tensor& tensor, const Element& element);
  Interval derived(const Tensor& tensor, const Shape& index);
  Interval rounded(const Interval& exact, double steps, double size) const;
  Interval sum(const Tensor& tensor, const Derivation& derivation);
  Interval softmax(const Tensor& tensor, const Derivation& derivation);
  Interval variance(const Tensor& tensor, const Derivation& derivation);
  Interval mapped(const Tensor& tensor, const Derivation& derivation, const Shape& index);

  double roundoff_;
  OfTensors<std::vector<Interval>> observed_;
  OfTensors<std::unordered_map<std::int64_t, Interval>> kept_;
  std::int64_t cost_ = 0;
};

/// Tells how a shown number stands to the right one: `close` is off by one unit of its last digit.
enum class Nearness { same, close, other };

/// Holds a shown number against the right one. If that is known exactly, it must be the same digit by digit, as far as
/// float32 has digits; else the two must meet or, where the number is copied, be the same.
Nearness nearness(const Observed& observed, std::size_t cell, const Interval& right, bool is_copied = false);

/// A shown number that is not the right one.
struct Wrong {
  std::int64_t cell = 0;  ///< its place among the shown ones
  double right = 0;
  bool is_close = false;  ///< off by one unit of its last digit, or by less than float32 loses in this computation
};

struct Agreement {
  bool is_comparable = true;         ///< the shape and the kind of numbers fit, and not too much is wrong
  std::vector<Wrong> wrong = {};     ///< in order
  std::int64_t unknown = 0;          ///< cells whose right number is not known
  bool is_exact = false;             ///< the right numbers are known exactly, and were demanded digit by digit
  std::vector<Interval> right = {};  ///< for each cell; nan where it is not known
  /// log10 of the probability that as many cells of those compared hold by chance.
  double chance = 0;

  std::int64_t close() const { return std::ranges::count_if(wrong, &Wrong::is_close); }
  std::int64_t differing() const { return static_cast<std::int64_t>(wrong.size()) - close(); }
  /// Returns true if all is known and nothing is wrong.
  bool holds() const { return is_comparable && wrong.empty() && unknown == 0; }
};

struct AgreeOptions {
  /// The number of cells that may differ; beyond it, the comparison ends: is_comparable is false.
  std::int64_t most_differing = std::numeric_limits<std::int64_t>::max();
};

/// The most by which float32 changes the shown cells of a tensor that agreed so far: what another order of summation,
/// or float64, may change.
double lost_in(const Observed& observed, const Tensor& tensor, const Agreement& with);

/// Forgets last digits that float32 does not have, and those that another order of summation or numpy's float64 turns:
/// beyond a tie by no more than a few times as much as float32 loses here.
void forget_noise(Agreement& with, const Observed& shown, const Tensor& tensor);

/// Holds what is shown against a tensor. What the bounds have observed is known up to these; all else is known exactly,
/// as far as no leaf has nan.
Agreement agree(const Observed& observed, const Tensor& tensor, Bounds& bounds, const AgreeOptions& options = {});

/// log10 of the probability that numbers drawn at random over their range are the shown ones. Scalars, constants and
/// tensors of two numbers, such as masks, are not evidence: 0.
double chance_of(const Observed& shown);

/// Returns true if coincidence is excluded after comparing with this many tensors.
bool is_excluded(double chance, std::size_t tried);

/// The number of cells that may fail while the rest is still recognised: 15 % of those that are neither infinite nor
/// zero; at least one.
std::size_t few_of(const Observed& observed);

/// Returns true if every number is 0 or 1, or 0 or one other number, as dropout makes of ones.
bool is_binary(const Observed& observed);

}  // namespace attn::verify
