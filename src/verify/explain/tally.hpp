#pragma once

#include <compare>
#include <cstdint>

namespace attn::verify {

/// The result of comparing a printed number with a step's.
enum class CellVerdict { holds, last_digit, differs };

/// Counts of the cells that do not hold.
struct Tally {
  std::int64_t differs = 0;
  std::int64_t last_digit = 0;

  void add(CellVerdict verdict) {
    differs += verdict == CellVerdict::differs ? 1 : 0;
    last_digit += verdict == CellVerdict::last_digit ? 1 : 0;
  }
  auto operator<=>(const Tally&) const = default;
};

/// The weight of a differing cell: a step with many wrong last digits never beats one with a single wrong cell.
inline constexpr std::int64_t weight_of_cell = 3;

inline std::int64_t weight(const Tally& tally) { return weight_of_cell * tally.differs + tally.last_digit; }

inline std::int64_t weight(CellVerdict verdict) {
  Tally one;
  one.add(verdict);
  return weight(one);
}

}  // namespace attn::verify
