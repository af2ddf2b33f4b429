#include "meanings.hpp"

#include <algorithm>

#include "meaning_tables.hpp"
#include "own.hpp"

namespace attn::chapters {
namespace {

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) {
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  }
  return pattern.empty() || pattern == name;
}

std::string_view first_fit(std::span<const Meaning> meanings, const Chapter& chapter, const Step& step) {
  const auto found = std::find_if(meanings.begin(), meanings.end(), [&](const Meaning& meaning) {
    return fits(meaning.step, step.name) && fits(meaning.chapter, chapter.name) &&
           fits(meaning.section, step.section);
  });
  if (found == meanings.end()) {
    return {};
  }
  return found->own.empty() || !step.tensor || !has_own(*step.tensor) ? found->text : found->own;
}

}  // namespace

std::string_view meaning(const Chapter& chapter, const Step& step) {
  if (step.kind == Step::Kind::size) {
    return first_fit(size_meanings(), chapter, step);
  }
  if (const std::string_view text = first_fit(chapter.article->meanings, chapter, step); !text.empty()) {
    return text;
  }
  for (const std::span<const Meaning> group : step_meanings(chapter.name, step.section)) {
    if (const std::string_view text = first_fit(group, chapter, step); !text.empty()) {
      return text;
    }
  }
  return {};
}

}  // namespace attn::chapters
