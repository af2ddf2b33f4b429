#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "meaning.hpp"

/// The meanings that all articles share. The first that fits counts, so what is special stands before what is general.
namespace attn::chapters {

/// Of tensors and words, for a section of a chapter.
std::vector<std::span<const Meaning>> step_meanings(std::string_view chapter, std::string_view section);

/// Of sizes, where only the shape is shown.
std::span<const Meaning> size_meanings();

}  // namespace attn::chapters
