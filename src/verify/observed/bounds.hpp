#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensor/operations.hpp"
#include "verify/observed/observed.hpp"

namespace attn::verify {

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

}  // namespace attn::verify
