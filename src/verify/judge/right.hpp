#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "files/read.hpp"
#include "verify/judge/bounds.hpp"
#include "verify/judge/compare.hpp"
#include "verify/propose/layouts.hpp"

namespace attn::port {

/// A tensor's numbers, row-major.
std::vector<double> values_of(const Tensor& tensor);

/// What numbers should be, and how near a port's must be to them. Everything is computed once.
class Right {
 public:
  Right(const Tolerance& tolerance, std::int64_t heads) : tolerance_(tolerance), heads_(heads) {}

  const std::vector<double>& values(const Tensor& tensor);
  Comparison compare(const Laid& theirs, const Tensor& right);
  bool holds(const Laid& theirs, const Tensor& right) { return compare(theirs, right).holds(); }
  const Tolerance& tolerance() const { return tolerance_; }
  std::int64_t heads() const { return heads_; }

  /// The first way to lay theirs out as the tensor in which they hold; else none.
  std::optional<Laid> holding(const dump::Dumped& theirs, const Tensor& right);
  /// The way that has the fewest wrong numbers; none where they have no such shape.
  std::optional<Laid> nearest(const dump::Dumped& theirs, const Tensor& right);

 private:
  struct Known {
    Tensor tensor;  ///< so that no other one gets its id
    std::vector<double> values;
    std::optional<std::vector<float>> bounds;
  };
  Known& known(const Tensor& tensor);

  Tolerance tolerance_;
  std::int64_t heads_;
  Bounds bounds_;
  std::map<const void*, Known> known_;
};

}  // namespace attn::port
