#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "meaning.hpp"

/// The meanings that all articles share. The first match counts, so special meanings come before general ones.
namespace attn::chapters {

/// The meanings of tensors and texts, for a section of a chapter.
std::vector<std::span<const Meaning>> step_meanings(std::string_view chapter, std::string_view section);

/// The meanings of sizes, which show only a shape.
std::span<const Meaning> size_meanings();

}  // namespace attn::chapters
