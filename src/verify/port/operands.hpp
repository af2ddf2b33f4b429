#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tensor/rewrite.hpp"
#include "tensor/tensor.hpp"
#include "verify/observed/observed.hpp"
#include "verify/port/layouts.hpp"

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

}  // namespace attn::verify
