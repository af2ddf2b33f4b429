#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attn::text {

/// Without the white space (of ASCII) at either end.
std::string_view trimmed(std::string_view text);

/// A to Z as a to z; other characters as they are.
std::string lower(std::string_view text);

/// The lines, without their ends; a text that ends in "\n" has no empty line after it.
std::vector<std::string> lines_of(std::string_view text);

/// Lines of at most `width` columns, broken after spaces; what has none is broken between any two characters.
std::vector<std::string> wrapped(std::string_view line, std::int64_t width);

/// The same after `first`, and after `next` from the second on, which is no narrower; no line ends with a space.
std::vector<std::string> wrapped(std::string_view line, std::int64_t width, std::string_view first,
                                 std::string_view next);

/// "a, b, c"
std::string joined(std::span<const std::string> parts, std::string_view between = ", ");

/// The parts between commas; "a,,b" has an empty one.
std::vector<std::string> split(std::string_view list);

/// Control characters but line breaks and tabs, marks that turn the direction of writing and what is not UTF-8 as \xNN.
std::string visible(std::string_view text);

/// The text on one line of at most some hundred characters: control characters, marks that turn the direction of
/// writing and what is not UTF-8 as \xNN, the middle of a long text as "...".
std::string one_line(std::string_view text);

}  // namespace attn::text
