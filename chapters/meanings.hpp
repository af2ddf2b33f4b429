#pragma once

#include <string>

#include "article.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// Why the step is there, in one to three sentences; empty for a step that no chapter has.
std::string meaning(const Chapter& chapter, const Step& step);

}  // namespace attn::chapters
