#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tensor/rewrite.hpp"
#include "tensor/tensor.hpp"

namespace attn::verify {

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

}  // namespace attn::verify
