#pragma once

// What libc++ 13, the C++ library of Debian 12's emscripten, lacks of C++20. Read before each file.

#include <charconv>
#include <functional>
#include <iterator>
#include <memory>
#include <range/v3/algorithm.hpp>
#include <system_error>
#include <type_traits>

namespace std {

namespace ranges {

using namespace ::ranges;  // but for the names that are here: they come first

/// Ranges of different types can be compared; range-v3 wants the predicate to accept two of either.
template <class One, class Other, class Predicate = ::ranges::equal_to, class OfOne = identity, class OfOther = identity>
constexpr bool equal(const One& one, const Other& other, Predicate is_equal = {}, OfOne of_one = {}, OfOther of_other = {}) {
  auto a = std::begin(one);
  auto b = std::begin(other);
  while (a != std::end(one) && b != std::end(other) && invoke(is_equal, invoke(of_one, *a), invoke(of_other, *b))) {
    ++a;
    ++b;
  }
  return a == std::end(one) && b == std::end(other);
}

}  // namespace ranges

template <class To, class From>
requires(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>)
constexpr To bit_cast(const From& from) noexcept { return __builtin_bit_cast(To, from); }

template <class T>
requires(is_unbounded_array_v<T>) unique_ptr<T> make_unique_for_overwrite(size_t size) {
  return unique_ptr<T>(new remove_extent_t<T>[size]);
}

to_chars_result to_chars(char* first, char* last, double value);
to_chars_result to_chars(char* first, char* last, float value);
to_chars_result to_chars(char* first, char* last, double value, chars_format format);
to_chars_result to_chars(char* first, char* last, double value, chars_format format, int precision);
from_chars_result from_chars(const char* first, const char* last, double& value, chars_format format = chars_format::general);

}  // namespace std
