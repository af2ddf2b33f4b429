#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attn {

/// An expression as an operand of an infix operator or before a dot: in parentheses where it has an operator itself:
/// after a blank, which a name may have too ("line 44").
std::string grouped(const std::string& expression);

/// What stands in brackets before the entry of an axis: ":, " for each one before it, "..., " where it is the last, -1.
std::string axes_before(std::int64_t axis);

/// "a, b, c"
std::string listed(const std::vector<std::string>& operands);

/// Python's repr of a float: the shortest digits that give it back: "0.5", "1.0", "1e-05".
std::string python_repr(double value);

}  // namespace attn
