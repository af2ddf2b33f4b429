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
  bool has_point = false;  ///< some number is written as a float
  std::size_t end = 0;     ///< after its last bracket
};

/// Reads the lists that begin at a program's [ or {, in the notation of Python, Rust or C++, and skips comments. Empty
/// if they contain anything but numbers or do not have one shape; `end` is then at the evidence.
std::optional<NumberList> read_number_list(std::string_view text, std::size_t begin, std::size_t& end);

}  // namespace attn::verify
