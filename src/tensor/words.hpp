#pragma once

#include <string>

namespace attn {

/// An expression as an operand of an infix operator or before a dot: in parentheses where it has an operator itself.
std::string grouped(const std::string& expression);

/// Python's repr of a float: the shortest digits that give it back: "0.5", "1.0", "1e-05".
std::string python_repr(double value);

}  // namespace attn
