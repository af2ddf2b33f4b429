#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/article.hpp"
#include "chapters/meaning.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// The purpose of a step, in one to three sentences; empty for an unknown step.
std::string meaning(const Chapter& chapter, const Step& step, const Lesson& lesson = {});

/// The meanings of tensors and texts, for a section of a chapter.
std::vector<std::span<const Meaning>> step_meanings(std::string_view chapter, std::string_view section);

/// The meanings of sizes, which show only a shape.
std::span<const Meaning> size_meanings();

}  // namespace attn::chapters
