#include "torch/digits.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace attn::torch {
namespace {

__extension__ using Wide = unsigned __int128;

/// A magnitude of significand * 2^exponent.
struct Parts {
  bool is_negative;
  std::uint64_t significand;
  int exponent;
};

constexpr unsigned significand_bits = 23;
constexpr int not_finite = 255;

int biased_exponent(std::uint32_t bits) { return static_cast<int>(bits >> significand_bits & 0xffU); }

Parts parts_of(std::uint32_t bits) {
  constexpr int bias = 150;
  const int biased = biased_exponent(bits);
  const std::uint32_t below_point = bits & ((1U << significand_bits) - 1);
  const bool is_negative = bits >> 31U != 0;
  return biased == 0 ? Parts{is_negative, below_point, 1 - bias}
                     : Parts{is_negative, below_point | 1U << significand_bits, biased - bias};
}

/// number / 2^shift, rounded half to even.
template <class Integer>
std::uint64_t rounded(Integer number, int shift) {
  const auto whole = static_cast<std::uint64_t>(number >> shift);
  const Integer rest = number - (Integer{whole} << shift);
  const Integer half = Integer{1} << (shift - 1);
  return whole + static_cast<std::uint64_t>(rest > half || (rest == half && whole % 2 == 1));
}

constexpr auto pairs = [] {
  std::array<char, 200> digits{};
  for (std::size_t i = 0; i < 100; ++i) {
    digits[2 * i] = static_cast<char>('0' + i / 10);
    digits[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return digits;
}();

char* write_pair(char* end, std::uint64_t number) {
  *--end = pairs[2 * number + 1];
  *--end = pairs[2 * number];
  return end;
}

/// Writes the last `digits` digits of the number and removes them from it.
char* write_last(char* end, std::uint64_t& number, int digits) {
  for (; digits >= 2; digits -= 2) {
    end = write_pair(end, number % 100);
    number /= 100;
  }
  if (digits == 1) {
    *--end = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  return end;
}

char* write_all(char* end, std::uint64_t number) {
  while (number >= 100) {
    end = write_pair(end, number % 100);
    number /= 100;
  }
  if (number >= 10) {
    return write_pair(end, number);
  }
  *--end = static_cast<char>('0' + number);
  return end;
}

char* write_sign(char* end, bool is_negative) {
  if (is_negative) {
    *--end = '-';
  }
  return end;
}

template <class Integer, std::size_t count>
constexpr std::array<Integer, count> powers_of(unsigned base) {
  std::array<Integer, count> powers{};
  Integer power = 1;
  for (Integer& entry : powers) {
    entry = power;
    power *= base;
  }
  return powers;
}

constexpr int most_fixed = 11;  // 2^24 * 10^11 < 2^61
constexpr auto powers_of_10 = powers_of<std::uint64_t, 20>(10);
constexpr int most_scientific = 17;                   // 10^18 < 2^63
constexpr auto powers_of_5 = powers_of<Wide, 45>(5);  // 2^24 * 5^44 < 2^127

}  // namespace

char* write_fixed(char* end, float value, int digits, Point point) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const Parts parts = parts_of(bits);
  constexpr int most_shift = 40;  // significand << 40 < 2^64
  if (digits > most_fixed || parts.exponent > most_shift || biased_exponent(bits) == not_finite) {
    return nullptr;
  }
  const bool has_point = digits > 0 || point == Point::always;
  char* at = end;
  std::uint64_t number = 0;
  if (parts.exponent >= 0) {
    for (int i = 0; i < digits; ++i) {
      *--at = '0';
    }
    number = parts.significand << parts.exponent;
  } else {
    constexpr int vanished = 62;  // shifted this far, the number is less than half a unit
    number = rounded(parts.significand * powers_of_10[static_cast<std::size_t>(digits)],
                     parts.exponent < -vanished ? vanished : -parts.exponent);
    at = write_last(at, number, digits);
  }
  if (has_point) {
    *--at = '.';
  }
  return write_sign(write_all(at, number), parts.is_negative);
}

char* write_scientific(char* end, float value, int digits) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const Parts parts = parts_of(bits);
  if (digits > most_scientific || biased_exponent(bits) == not_finite) {
    return nullptr;
  }
  std::uint64_t number = 0;
  int exponent = 0;
  if (parts.significand != 0) {
    // The exponent of ten is this one or the next.
    const int binary = static_cast<int>(std::bit_width(parts.significand)) - 1 + parts.exponent;
    constexpr int log10_of_2 = 315653;  // * 2^-20
    exponent = (binary * log10_of_2) >> 20;
    const std::uint64_t too_large = powers_of_10[static_cast<std::size_t>(digits + 1)];
    for (bool is_found = false; !is_found; exponent += is_found ? 0 : 1) {
      const int scale = digits - exponent;
      const int shift = -(parts.exponent + scale);
      if (scale < 0 || scale >= static_cast<int>(powers_of_5.size()) || shift < 1) {
        return nullptr;
      }
      const Wide scaled = parts.significand * powers_of_5[static_cast<std::size_t>(scale)];
      is_found = scaled >> shift < too_large;
      number = is_found ? rounded(scaled, shift) : 0;
    }
    if (number == too_large) {
      number /= 10;
      ++exponent;
    }
  }
  char* at = write_pair(end, static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent));
  *--at = exponent < 0 ? '-' : '+';
  *--at = 'e';
  at = write_last(at, number, digits);
  if (digits > 0) {
    *--at = '.';
  }
  return write_sign(write_all(at, number), parts.is_negative);
}

}  // namespace attn::torch
