#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attn::text {

/// The candidate that is nearest to what was typed; else the shortest of which that is a part; else empty.
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

}  // namespace attn::text
