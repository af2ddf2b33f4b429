#include "cli/compute.hpp"

#include <unistd.h>

#include <utility>

#include "inputs.hpp"
#include "meanings.hpp"
#include "render/terminal.hpp"
#include "walk/memory.hpp"

namespace attn::cli {
namespace {

void plan(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options) {
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::plan);
  const Walkthrough planned = chapters::walk(chapter, lesson, torch);
  std::vector<Step> wanted = selected(planned.steps(), chapter, options);
  if (options.cell) {
    check_cell(planned.steps(), chapter, options);
    render::find_cell(planned.steps(), render::parse_cell(*options.cell), chapters::token_words(*chapter.article, lesson));
  }
  if (options.save || options.cell || options.what_if != nullptr) {
    wanted = planned.steps();
  }
  if (options.what_if != nullptr) {
    const Walkthrough otherwise = changed(planned, *options.what_if);
    wanted.insert(wanted.end(), otherwise.steps().begin(), otherwise.steps().end());
  }
  check_fits(wanted, torch.planned_draws(), available_memory());
}

}  // namespace

Walkthrough computed(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options) {
  plan(chapter, lesson, options);
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  return chapters::walk(chapter, lesson, torch);
}

render::ShownChapter shown(const chapters::Chapter& chapter, const Walkthrough& walkthrough,
                           const Options& options) {
  const std::string name(chapter.name);
  render::ShownChapter result = {.name = name,
                                 .title = name + ": " + std::string(chapters::chapter_summary(name)),
                                 .about = about(chapter, options),
                                 .steps = selected(walkthrough.steps(), chapter, options),
                                 .all_steps = walkthrough.steps(),
                                 .tokens = chapters::token_words(*chapter.article, options.lesson),
                                 .why = why_in(chapter)};
  for (const Step& step : result.steps) {
    if (step.kind == Step::Kind::tensor) {
      step.tensor->array();
    }
  }
  return result;
}

render::Document document(std::vector<render::ShownChapter> chapters, const Options& options) {
  render::Document result;
  result.chapters = std::move(chapters);
  result.text = options.text;
  result.explain = options.explain;
  result.heatmap = options.heatmap;
  if (options.cell) {
    result.cell = render::parse_cell(*options.cell);
  }
  result.depth = options.depth.value_or(1);
  if (!options.output) {
    result.terminal = render::detect_terminal(STDOUT_FILENO);
  }
  return result;
}

render::Why why_in(const chapters::Chapter& chapter) {
  return [&chapter](const Step& step) { return std::string(chapters::meaning(chapter, step)); };
}

}  // namespace attn::cli
