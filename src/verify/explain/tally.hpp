#pragma once

#include <compare>
#include <cstdint>

namespace attn::verify {

/// What becomes of a printed number that a step's is held against.
enum class CellVerdict { holds, last_digit, differs };

/// How many cells do not hold.
struct Tally {
  std::int64_t differs = 0;
  std::int64_t last_digit = 0;

  void add(CellVerdict verdict) {
    differs += verdict == CellVerdict::differs ? 1 : 0;
    last_digit += verdict == CellVerdict::last_digit ? 1 : 0;
  }
  auto operator<=>(const Tally&) const = default;
};

/// What a cell that differs weighs: no step wins with many last digits against one with a single wrong cell.
inline constexpr std::int64_t weight_of_cell = 3;

inline std::int64_t weight(const Tally& tally) { return weight_of_cell * tally.differs + tally.last_digit; }

inline std::int64_t weight(CellVerdict verdict) {
  Tally one;
  one.add(verdict);
  return weight(one);
}

}  // namespace attn::verify
