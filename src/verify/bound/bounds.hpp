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

/// Between which numbers the cells of a tensor lie, given those of the tensors that somebody observed: every number
/// that the arithmetic may give, in whatever order it sums, lies in the interval. Whatever the operations, their
/// derivations say how. Cells are bounded when asked for, and what others are made of is kept.
class Bounds {
 public:
  /// `roundoff` is what the arithmetic may round a number of size 1 by; float32's unless told otherwise.
  explicit Bounds(double roundoff = 0x1p-24) : roundoff_(roundoff) {}

  /// The tensor's cells, row-major. It stands for itself, whatever it is made of.
  void observe(const Tensor& tensor, std::vector<Interval> cells);

  /// A cell by its index, or by its position in row-major order. Dropped and masked cells are exact.
  Interval cell(const Tensor& tensor, const Shape& index);
  Interval cell(const Tensor& tensor, std::int64_t position);

  /// How many terms of derivations were bounded so far: what it cost.
  std::int64_t cost() const { return cost_; }

  /// Forgets all that was not observed.
  void forget() {
    kept_.clear();
    sums_.clear();
  }
  /// Forgets what was observed of a tensor.
  void forget(const Tensor& tensor) { observed_.erase(tensor.id()); }

 private:
  struct Cells {
    Tensor tensor;                   ///< keeps the identity from being another tensor's
    std::vector<Interval> observed;  ///< all cells, or none
    std::unique_ptr<double[]> kept =
        nullptr;  ///< each cell's low and high; memory is used only where a cell is bounded
    std::vector<bool> are_kept = {};
  };
  /// An operand's elements in a tensor's sums: as far apart from term to term, and from cell to cell, everywhere.
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
    std::int64_t terms = 0;           ///< 0: not known, or nothing so regular
    std::vector<Steps> factors = {};  ///< a, b if any, and the bias if any
    bool has_bias = false;
  };
  using Table = std::unordered_map<const void*, Cells>;

  Interval derived(const Tensor& tensor, const Shape& index);
  Interval of(const Tensor& tensor, const Element& element);
  Cells& cells_of(const Tensor& tensor);
  Interval kept(Cells& cells, std::size_t position);
  Interval rounded(const Interval& exact, double steps, double size) const;
  const Sums* sums_of(const Tensor& tensor);
  Interval regular_sum(const Tensor& tensor, const Sums& sums, const Shape& index);
  Interval sum(const Tensor& tensor, const Derivation& derivation);
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
