#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "tensor/array.hpp"

namespace attn::verify {

/// Nested lists of numbers in a program.
struct NumberList {
  Shape shape;
  std::vector<double> values;
  bool has_point = false;  ///< a number is written as a float
  std::size_t end = 0;     ///< behind its last bracket
};

/// Reads the lists that begin at a [ or { of a program, in the manner of Python, Rust or C++, past comments.
/// Nothing where anything but numbers is in them or they have not one shape; `end` is then where that shows.
std::optional<NumberList> read_number_list(std::string_view text, std::size_t begin, std::size_t& end);

}  // namespace attn::verify
