#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tensor/tensor.hpp"
#include "verify/bound/interval.hpp"

namespace attn::verify {

/// Bounds for a tensor's cells, given those of observed tensors: every number that the arithmetic may give, in any
/// order of summation, lies in the interval. The operations' derivations define the arithmetic. Cells are bounded on
/// demand, and bounds that others need are kept.
class Bounds {
 public:
  /// `roundoff` is the largest relative rounding of the arithmetic; by default float32's.
  explicit Bounds(double roundoff = 0x1p-24) : roundoff_(roundoff) {}

  /// Sets the tensor's cells, row-major. Its own derivation is then ignored.
  void observe(const Tensor& tensor, std::vector<Interval> cells);

  /// The bound of a cell by index, or by row-major position. Dropped and masked cells are exact.
  Interval cell(const Tensor& tensor, const Shape& index);
  Interval cell(const Tensor& tensor, std::int64_t position);

  /// The number of derivation terms bounded so far, as a measure of cost.
  std::int64_t cost() const { return cost_; }

  /// Discards everything that was not observed.
  void forget() {
    kept_.clear();
    sums_.clear();
  }
  /// Discards the observation of a tensor.
  void forget(const Tensor& tensor) { observed_.erase(tensor.id()); }

 private:
  struct Cells {
    Tensor tensor;                   ///< keeps its id from being reused by another tensor
    std::vector<Interval> observed;  ///< all cells, or empty
    std::unique_ptr<double[]> kept =
        nullptr;  ///< each cell's low and high; memory is used only where a cell is bounded
    std::vector<bool> are_kept = {};
    bool are_finite = true;                                          ///< all that are kept
    bool are_exact = true;                                           ///< the low is the high
    std::int64_t ready_first = -1, ready_step = 0, ready_count = 0;  ///< cells that last were all kept
  };
  /// Some of a tensor's cells, at constant distances: each low, with its high after it.
  struct Run {
    const double* first;
    std::int64_t step;
    bool are_exact;
  };
  /// An operand's elements in a tensor's sums, with constant distances from term to term and from cell to cell.
  struct Steps {
    std::size_t operand;
    std::int64_t first;
    std::int64_t per_term;
    Shape per_axis;

    std::int64_t place(const Shape& index, std::int64_t term) const;
  };
  struct Sums {
    Tensor tensor;
    int asked = 0;
    std::int64_t terms = 0;           ///< 0 if unknown or not regular
    std::vector<Steps> factors = {};  ///< a, b if any, and the bias if any
    bool has_bias = false;
  };
  using Table = std::unordered_map<const void*, Cells>;

  Interval derived(const Tensor& tensor, const Shape& index);
  Interval of(const Tensor& tensor, const Element& element);
  Cells& cells_of(const Tensor& tensor);
  Interval kept(Cells& cells, std::size_t position);
  std::optional<Run> kept_run(Cells& cells, std::int64_t first, std::int64_t step, std::int64_t count);
  Interval rounded(const Interval& exact, double steps, double size) const;
  const Sums* sums_of(const Tensor& tensor);
  Interval regular_sum(const Tensor& tensor, const Sums& sums, const Shape& index);
  Interval sum(const Tensor& tensor, const Derivation& derivation);
  Interval mean(const Tensor& tensor, const Derivation& derivation);
  Interval variance(const Tensor& tensor, const Derivation& derivation);
  Interval quotient(const Tensor& tensor, const Derivation& derivation);
  Interval softmax(const Tensor& tensor, const Derivation& derivation);
  Interval mapped(const Tensor& tensor, const Derivation& derivation);
  Interval comparison(const Tensor& tensor, const Derivation& derivation);

  double roundoff_;
  Table observed_;
  Table kept_;
  std::unordered_map<const void*, Sums> sums_;
  std::int64_t cost_ = 0;
};

}  // namespace attn::verify
