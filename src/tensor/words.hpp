#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attn {

/// An expression as an operand of an infix operator or before a dot: parenthesised if it contains an operator,
/// recognised by the blank before it; a name may contain a blank too ("line 44").
std::string grouped(const std::string& expression);

/// The text in brackets before the entry of an axis: ":, " for each earlier axis, "..., " for the last, -1.
std::string axes_before(std::int64_t axis);

/// "a, b, c"
std::string listed(const std::vector<std::string>& operands);

/// Python's repr of a float, the shortest digits that round-trip: "0.5", "1.0", "1e-05".
std::string python_repr(double value);

}  // namespace attn
