#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attn::text {

/// The candidate most similar to the typed word; else the shortest that contains it; else empty.
std::string nearest(std::string_view typed, std::span<const std::string> candidates);

}  // namespace attn::text
