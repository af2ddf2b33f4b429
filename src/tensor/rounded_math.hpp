#pragma once

/// Functions whose result is the double nearest to the exact one. The C libraries' own differ in the last bit; these
/// are the same everywhere. They are slow: for a few numbers, or to show one.
namespace attn::rounded {

[[nodiscard]] double exp(double x);

/// The natural logarithm; x is positive, and finite and not subnormal as a float.
[[nodiscard]] double log(double x);

/// |x| < 2^20
[[nodiscard]] double sin(double x);
[[nodiscard]] double cos(double x);

/// base is as for log.
[[nodiscard]] double pow(double base, double power);

}  // namespace attn::rounded
