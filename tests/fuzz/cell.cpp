#include "lesson/cell.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lesson/derivation.hpp"
#include "render/json_derivation.hpp"
#include "require.hpp"
#include "steps.hpp"
#include "targets.hpp"

namespace attn::fuzz {
namespace {

render::ShownChapter shown(const std::string& chapter) {
  const std::vector<Step> steps = steps_of(chapter);
  return {.name = chapter,
          .title = chapter,
          .about = [] { return nlohmann::ordered_json::object(); },
          .steps = steps,
          .all_steps = steps,
          .tokens = tokens(),
          .why = {},
          .framing = {},
          .article = {},
          .what_ifs = {}};
}

/// One with several parts, and one with several heads.
const std::vector<render::ShownChapter>& lessons() {
  static const std::vector<render::ShownChapter> lessons = {shown("trainable"), shown("multihead")};
  return lessons;
}

}  // namespace

void cell(std::string_view bytes) {
  bytes = bytes.substr(0, bytes.find('\0'));  // as an argument ends
  const auto depth = static_cast<std::int64_t>(bytes.size() % 4);
  for (const render::ShownChapter& lesson : lessons()) {
    try {
      const render::CellRequest request = render::parse_cell(std::string(bytes));
      const std::string text = render::derivation_text(lesson.all_steps, request, depth, lesson.tokens, {});
      require(text.starts_with(request.name), "a derivation begins with its number");
      require_clean(text, "a derivation");
      require_clean(render::derivation_json(lesson, request, depth).dump(), "a derivation's JSON");
    } catch (const render::CellError& error) {
      require_error_line(error);
    }
  }
}

}  // namespace attn::fuzz
