#include "chapters/meanings.hpp"

#include <algorithm>

#include "chapters/attend.hpp"
#include "chapters/chapter.hpp"
#include "chapters/own.hpp"

namespace attn::chapters {
namespace {

bool fits(std::string_view pattern, std::string_view name) {
  if (const std::size_t bar = pattern.find('|'); bar != std::string_view::npos) {
    return fits(pattern.substr(0, bar), name) || fits(pattern.substr(bar + 1), name);
  }
  if (pattern.ends_with('*')) {
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  }
  return pattern.empty() || pattern == name;
}

std::string first_fit(std::span<const Meaning> meanings, const Chapter& chapter, const Step& step) {
  const auto found = std::find_if(meanings.begin(), meanings.end(), [&](const Meaning& meaning) {
    return fits(meaning.step, step.name) && fits(meaning.chapter, chapter.name) && fits(meaning.section, step.section);
  });
  if (found == meanings.end()) {
    return {};
  }
  const bool is_own = found->own_tail && step.tensor && has_own(*step.tensor);
  return std::string(found->text) + std::string(is_own ? *found->own_tail : found->tail);
}

}  // namespace

std::string meaning(const Chapter& chapter, const Step& step, const Lesson& lesson) {
  if (is_made_by_hand(chapter, lesson)) {
    if (std::string text = hand_made_meaning(step, settled(chapter, lesson)); !text.empty()) {
      return text;
    }
  }
  if (step.kind == Step::Kind::size) {
    return first_fit(size_meanings(), chapter, step);
  }
  if (std::string text = first_fit(chapter.article->meanings, chapter, step); !text.empty()) {
    return text;
  }
  for (const std::span<const Meaning> group : step_meanings(chapter.name, step.section)) {
    if (std::string text = first_fit(group, chapter, step); !text.empty()) {
      return text;
    }
  }
  return {};
}

}  // namespace attn::chapters
