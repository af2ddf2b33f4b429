#include "verify/propose/seeds.hpp"

#include <array>
#include <iterator>
#include <numeric>
#include <vector>

namespace attn::verify {
namespace {

constexpr std::size_t small_seeds = 2'048;
constexpr std::array<std::int64_t, 25> liked_seeds = {
    2'222,   3'141,   3'333,   3'407,   4'242,     4'444,      5'555,      6'666,  7'777,
    8'888,   9'999,   10'000,  12'345,  31'337,    54'321,     65'536,     99'999, 123'123,
    123'456, 271'828, 314'159, 424'242, 1'234'567, 12'345'678, 123'456'789};

}  // namespace

std::span<const std::int64_t> usual_seeds() {
  static const auto seeds = [] {
    std::vector<std::int64_t> result(small_seeds);
    std::iota(result.begin(), result.end(), 0);
    result.insert(result.end(), liked_seeds.begin(), liked_seeds.end());
    return result;
  }();
  return seeds;
}

}  // namespace attn::verify
