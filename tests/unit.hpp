// What unit tests share: the standard library, doctest, and samples of long tables.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace attn::test {

/// The environment's whole number of that name; `otherwise` where it is not set.
inline std::size_t environment_number(const char* name, std::size_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Whether a row of a long table is tried: each ATTN_TEST_EVERY-th, others each day, or with the same ATTN_TEST_DAY the
/// same ones (see harness.py). Without ATTN_TEST_EVERY, all.
inline bool is_in_sample(std::size_t row) {
  static const std::size_t every = environment_number("ATTN_TEST_EVERY", 1);
  static const std::size_t day = [] {
    const auto hours =
        std::chrono::duration_cast<std::chrono::hours>(std::chrono::system_clock::now().time_since_epoch());
    const std::size_t today = environment_number("ATTN_TEST_DAY", static_cast<std::size_t>(hours.count()) / 24);
    if (every > 1) {
      MESSAGE("sampled by the day: ATTN_TEST_DAY=" << today << " ATTN_TEST_EVERY=" << every << " for the same");
    }
    return today;
  }();
  return every <= 1 || (row + day) % every == 0;
}

}  // namespace attn::test
