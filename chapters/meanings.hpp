#pragma once

#include <string_view>

#include "chapter.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// Why the step is there, in one to three sentences; empty for a step that no chapter has.
std::string_view meaning(const ChapterEntry& chapter, const Step& step);

}  // namespace attn::chapters
