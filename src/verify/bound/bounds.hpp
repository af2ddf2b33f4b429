#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tensor/tensor.hpp"
#include "verify/bound/interval.hpp"

namespace attn::verify {

/// Between which numbers the cells of a tensor lie, given those of the tensors that somebody observed: every number
/// that float32 arithmetic may give lies in the interval. Whatever the operations, their derivations say how. Cells are
/// bounded when asked for, and what others are made of is kept.
class Bounds {
 public:
  /// The tensor's cells, row-major. It stands for itself, whatever it is made of.
  void observe(const Tensor& tensor, std::vector<Interval> cells);

  /// A cell by its index, or by its position in row-major order. Dropped and masked cells are exact.
  Interval cell(const Tensor& tensor, const Shape& index);
  Interval cell(const Tensor& tensor, std::int64_t position);

  /// How many terms of derivations were bounded so far: what it cost.
  std::int64_t cost() const { return cost_; }

  /// Forgets all that was not observed.
  void forget() { kept_.clear(); }
  /// Forgets what was observed of a tensor.
  void forget(const Tensor& tensor) { observed_.erase(tensor.id()); }

 private:
  struct Cells {
    Tensor tensor;  ///< keeps the identity from being another tensor's
    std::vector<Interval> cells;
  };
  using Table = std::unordered_map<const void*, Cells>;

  Interval derived(const Tensor& tensor, const Shape& index);
  Interval of(const Tensor& tensor, const Element& element) {
    return kept(tensor.operands()[element.operand], element.index);
  }
  Interval kept(const Tensor& tensor, const Shape& index);
  Interval sum(const Tensor& tensor, const Derivation& derivation);
  Interval quotient(const Tensor& tensor, const Derivation& derivation);
  Interval softmax(const Tensor& tensor, const Derivation& derivation);
  Interval comparison(const Tensor& tensor, const Derivation& derivation);

  Table observed_;
  Table kept_;
  std::int64_t cost_ = 0;
};

}  // namespace attn::verify
