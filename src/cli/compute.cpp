#include "cli/compute.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "inputs.hpp"
#include "meanings.hpp"
#include "render/terminal.hpp"
#include "torch/shown.hpp"
#include "walk/memory.hpp"

namespace attn::cli {
namespace {

/// How many of a step's numbers are printed.
std::int64_t printed_cells(const Step& step, const torch::PrintOptions& print) {
  std::int64_t cells = step.kind == Step::Kind::tensor ? 1 : 0;
  for (const torch::ShownItems& items : cells > 0 ? torch::shown_items(step.tensor->shape(), print)
                                                  : std::vector<torch::ShownItems>{}) {
    if (__builtin_mul_overflow(cells, items.count(), &cells)) {
      throw TooLarge("a step of shape " + shape_text(step.tensor->shape()) + " has more than 2^63 numbers to print");
    }
  }
  return cells;
}

/// The bytes that are held for one printed number until it is written: its text, its place, a grown buffer's spare room.
std::int64_t bytes_per_cell(const Options& options) {
  const std::int64_t text = std::int64_t{options.text.print.precision} + 12;
  if (options.step || options.what_if != nullptr || options.predict) {
    return 150 + 6 * text;
  }
  return options.heatmap ? 150 + 4 * text : 3 * text;
}

/// What is held of the steps' text before it is written: writers hold one step at a time, a page all of them.
std::int64_t written_bytes(const std::vector<Step>& steps, const Options& options) {
  std::int64_t most = 0;
  std::int64_t all = 0;
  for (const Step& step : steps) {
    const std::int64_t cells = printed_cells(step, options.text.print);
    most = std::max(most, cells);
    all = __builtin_add_overflow(all, cells, &all) ? std::numeric_limits<std::int64_t>::max() : all;
  }
  const bool is_page = options.format->holds_all_steps;
  std::int64_t bytes = 0;
  return __builtin_mul_overflow(is_page ? all : most, is_page ? std::int64_t{100} : bytes_per_cell(options), &bytes)
             ? std::numeric_limits<std::int64_t>::max()
             : bytes;
}

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
  check_fits(wanted, torch.planned_draws(), available_memory(), written_bytes(wanted, options));
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
  if (options.own_linewidth) {
    result.terminal.width = options.text.print.linewidth;
  }
  return result;
}

render::Why why_in(const chapters::Chapter& chapter) {
  return [&chapter](const Step& step) { return std::string(chapters::meaning(chapter, step)); };
}

}  // namespace attn::cli
