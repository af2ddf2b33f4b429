#pragma once

#include <string_view>

#include "article.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// Why the step is there, in one to three sentences; empty for a step that no chapter has.
std::string_view meaning(const Chapter& chapter, const Step& step);

}  // namespace attn::chapters
