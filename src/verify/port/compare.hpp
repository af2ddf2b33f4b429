#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace attn::verify {

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
  double greatest_relative = 0;  ///< relative to the right number; only cells where that is not 0
  std::int64_t relative_at = 0;

  bool holds() const { return mismatched.empty(); }
  /// Returns true if all differences are numbers, and below 1 % of the right ones: what rounding may explain.
  bool is_near() const { return std::isfinite(greatest_absolute) && greatest_relative < 1e-2; }
};

/// Compares equally many numbers: only these cells or, if there are none, all.
Comparison compare(std::span<const double> theirs, std::span<const double> right, const Tolerance& tolerance,
                   std::span<const std::int64_t> cells = {});

/// Returns true if a number is within the tolerance of the right one.
bool is_held(double theirs, double right, const Tolerance& tolerance);

}  // namespace attn::verify
