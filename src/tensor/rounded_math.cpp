#include "tensor/math.hpp"

// All compute with pairs of doubles, 106 bits, of which the functions' errors leave 95. So the sum of the pair,
// rounded, is the exact value rounded, unless that lies within 2^-40 of the middle between two doubles.

namespace attn::rounded {
namespace {

/// An unevaluated sum; `low` is at most half a unit in the last place of `high`.
struct Pair {
  double high;
  double low = 0;
};

/// Knuth's TwoSum: exact.
Pair sum(double a, double b) {
  const double high = a + b;
  const double of_b = high - a;
  return {high, (a - (high - of_b)) + (b - of_b)};
}

Pair product(double a, double b) {
  const double high = a * b;
  return {high, std::fma(a, b, -high)};
}

Pair operator+(const Pair& a, const Pair& b) {
  const Pair highs = sum(a.high, b.high);
  const Pair lows = sum(a.low, b.low);
  const Pair upper = sum(highs.high, highs.low + lows.high);
  return sum(upper.high, upper.low + lows.low);
}

Pair operator-(const Pair& a) { return {-a.high, -a.low}; }

Pair operator*(const Pair& a, const Pair& b) {
  const Pair highs = product(a.high, b.high);
  return sum(highs.high, highs.low + (a.high * b.low + a.low * b.high));
}

Pair operator/(const Pair& a, double b) {
  const double quotient = a.high / b;
  return sum(quotient, (std::fma(-quotient, b, a.high) + a.low) / b);
}

/// x - k * (unit[0] + unit[1] + unit[2]): three doubles, so that a difference near 0 keeps its bits.
Pair reduced(const Pair& x, double k, const double (&unit)[3]) {
  return ((x + product(-k, unit[0])) + product(-k, unit[1])) + product(-k, unit[2]);
}

/// e to the x.
Pair exp(const Pair& x) {
  // 1. x = k ln 2 + 256 r.
  constexpr double ln_2[3] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1934p-111};
  const double k = std::nearbyint(x.high / ln_2[0]);
  const Pair r = reduced(x, k, ln_2) / 256;

  // 2. e^r - 1 as a Taylor series, |r| < 0.0014.
  Pair power = r;
  Pair term = r;
  for (int n = 2; n <= 12; ++n) {
    term = term * r / n;
    power = power + term;
  }

  // 3. From e^r - 1 to e^2r - 1, eight times.
  for (int i = 0; i < 8; ++i) {
    power = power + power + power * power;
  }
  const Pair result = Pair{1} + power;
  return {std::ldexp(result.high, static_cast<int>(k)), std::ldexp(result.low, static_cast<int>(k))};
}

/// ln(1 + x), |x| <= 1/16, by its series.
Pair log_near_one(const Pair& x) {
  Pair result = x;
  Pair power = x;
  for (int n = 2; n <= 28; ++n) {
    power = -(power * x);
    result = result + power / n;
  }
  return result;
}

Pair log_of(double x) {
  if (std::abs(x - 1) <= 0.0625) {
    return log_near_one({x - 1});
  }
  // ln x = y + ln(x e^-y), y near it.
  const double y = glibc::log(static_cast<float>(x));
  return Pair{y} + log_near_one(Pair{x} * exp(Pair{-y}) + Pair{-1});
}

struct SinCos {
  Pair sin;
  Pair cos;
};

SinCos sincos(double x) {
  // 1. x = k pi/2 + r.
  constexpr double half_pi[3] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  const double k = std::nearbyint(x / half_pi[0]);
  const Pair r = reduced({x}, k, half_pi);

  // 2. Taylor series, |r| <= pi/4.
  SinCos result = {r, {1}};
  Pair term = r;
  for (int n = 2; n <= 30; ++n) {
    term = term * r / n;
    Pair& to = n % 2 == 0 ? result.cos : result.sin;
    to = to + (n % 4 < 2 ? term : -term);
  }

  // 3. Return to the quarter of x.
  const auto [sin, cos] = result;
  switch (static_cast<long>(k) & 3) {
    case 0: return {sin, cos};
    case 1: return {cos, -sin};
    case 2: return {-sin, -cos};
    default: return {-cos, sin};
  }
}

}  // namespace

double exp(double x) {
  constexpr double infinite = 710;
  constexpr double zero = -746;
  return x == x && x < infinite && x > zero ? exp(Pair{x}).high : std::exp(x);
}

double log(double x) { return log_of(x).high; }

double sin(double x) { return sincos(x).sin.high; }

double cos(double x) { return sincos(x).cos.high; }

double pow(double base, double power) { return exp(log_of(base) * Pair{power}).high; }

}  // namespace attn::rounded
