#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "chapters/chapter.hpp"
#include "chapters/inputs.hpp"
#include "lesson/cell.hpp"
#include "lesson/derivation.hpp"
#include "present/predict.hpp"
#include "render/json.hpp"
#include "require.hpp"
#include "steps.hpp"
#include "targets.hpp"
#include "torch/torch.hpp"

namespace attn::fuzz {
namespace {

const chapters::Article& blog() { return chapters::all_articles().front(); }

}  // namespace

const std::vector<std::string>& tokens() {
  static const std::vector<std::string> words = chapters::token_words(blog(), {});
  return words;
}

std::vector<Step> steps_of(std::string_view chapter, Cpu cpu) {
  const auto found = std::ranges::find(blog().chapters, chapter, &chapters::Chapter::name);
  Lesson lesson;
  lesson.kernels.cpu = cpu;
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  return chapters::walk(*found, lesson, torch).steps();
}

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

void predict(std::string_view bytes) {
  static const std::vector<Step> steps = steps_of("causal");
  for (const bool interactive : {false, true}) {
    present::Prediction prediction;
    prediction.cells = 2;
    prediction.tokens = tokens();
    prediction.interactive = interactive;
    std::istringstream in{std::string(bytes)};
    std::ostringstream out;
    try {
      const present::Score score = present::predict(in, out, steps, prediction);
      require(score.asked() <= 2 * steps.size(), "no more is marked than is asked");
      require_clean(out.view(), "questions and answers");
    } catch (const std::runtime_error& error) {
      require_error_line(error);
    }
  }
}

}  // namespace attn::fuzz
