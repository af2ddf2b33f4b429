#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attn::port {

/// How far a number may be from the right one: atol + rtol * |right|. The defaults are those of
/// torch.testing.assert_close for float32.
struct Tolerance {
  double rtol = 1.3e-6;
  double atol = 1e-5;
  bool grows =
      true;  ///< with what float32 may be off by in all that a cell is made of; false where somebody says how far
};

/// Somebody's numbers held against the right ones, cell by cell. Two nan are equal, and so are two infinities of one
/// sign.
struct Comparison {
  std::int64_t cells = 0;
  std::vector<std::int64_t> mismatched;  ///< in order

  double greatest_absolute = 0;  ///< difference; infinite where only one of the two is a number
  std::int64_t absolute_at = 0;  ///< its cell
  double greatest_relative = 0;  ///< of the right number; of cells where that is not 0
  std::int64_t relative_at = 0;
  double greatest_ulps = 0;  ///< in units of the last place that float32 has there

  /// The least tolerance of either kind, beside the other as given, with which all cells hold; none where a number is
  /// missing.
  std::optional<double> passing_rtol;
  std::optional<double> passing_atol;

  bool holds() const { return mismatched.empty(); }
  /// Returns true if all differences are numbers, and below 1 % of the right ones: what rounding may explain.
  bool is_near() const { return std::isfinite(greatest_absolute) && greatest_relative < 1e-2; }
};

/// Both have as many numbers. Only these cells are compared, or where there are none, all.
Comparison compare(std::span<const double> theirs, std::span<const double> right, const Tolerance& tolerance,
                   std::span<const std::int64_t> cells = {});

}  // namespace attn::port
