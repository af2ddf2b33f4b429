#pragma once

#include <span>
#include <string>
#include <string_view>

#include "text/lines.hpp"

namespace attn::cli {

using text::joined;
using text::one_line;
using text::split;

/// The candidate that is nearest to what was typed, or empty where none is near.
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

}  // namespace attn::cli
