#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attn::cli {

/// The candidate that is nearest to what was typed, or empty where none is near.
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

/// The words between commas; "a,,b" has an empty one.
std::vector<std::string> split(const std::string& list);

/// "a, b, c"
std::string joined(std::span<const std::string> words);

/// The text on one line of at most some hundred characters: control characters and what is not UTF-8 as \xNN, the
/// middle of a long text as "...".
std::string one_line(std::string_view text);

}  // namespace attn::cli
