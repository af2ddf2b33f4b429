#pragma once

#include <string>

#include "article.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// The purpose of a step, in one to three sentences; empty for an unknown step.
std::string meaning(const Chapter& chapter, const Step& step, const Lesson& lesson = {});

}  // namespace attn::chapters
