#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attn::cli {

/// The candidate that is nearest to what was typed, or empty where none is near.
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

/// "a, b, c"
std::string joined(std::span<const std::string> words);

/// The text on one line, control characters as \xNN.
std::string one_line(std::string_view text);

}  // namespace attn::cli
