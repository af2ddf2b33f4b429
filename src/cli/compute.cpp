#include "cli/compute.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

#include "cli/what_ifs.hpp"
#include "inputs.hpp"
#include "meanings.hpp"
#include "picture/terminal.hpp"
#include "tensor/blas_kernels.hpp"
#include "tensor/operations.hpp"
#include "torch/shown.hpp"
#include "walk/memory.hpp"

namespace attn::cli {
namespace {

/// How many of a step's numbers are printed.
std::int64_t printed_cells(const Step& step, const torch::PrintOptions& print) {
  std::int64_t cells = step.kind == Step::Kind::tensor ? 1 : 0;
  for (const torch::ShownItems& items :
       cells > 0 ? torch::shown_items(step.tensor->shape(), print) : std::vector<torch::ShownItems>{}) {
    if (__builtin_mul_overflow(cells, items.count(), &cells)) {
      throw TooLarge("a step of shape " + shape_text(step.tensor->shape()) + " has more than 2^63 numbers to print");
    }
  }
  return cells;
}

/// The bytes that are held for one printed number until it is written: its text, its place, a grown buffer's spare
/// room.
std::int64_t bytes_per_cell(const Options& options) {
  const std::int64_t text = std::int64_t{options.text.print.precision} + 12;
  if (options.step || options.what_if != nullptr || options.predict) {
    return 150 + 6 * text;
  }
  return 3 * text;
}

std::int64_t product(std::int64_t count, std::int64_t bytes) {
  return __builtin_mul_overflow(count, bytes, &bytes) ? std::numeric_limits<std::int64_t>::max() : bytes;
}

std::int64_t sum(std::int64_t one, std::int64_t other) {
  return __builtin_add_overflow(one, other, &one) ? std::numeric_limits<std::int64_t>::max() : one;
}

/// What is held of the steps' text before it is written: writers hold one step at a time, and who asks for predictions
/// remembers each number that was shown.
std::int64_t written_bytes(const std::vector<Step>& steps, const Options& options) {
  constexpr std::int64_t bytes_per_memory = 40;
  std::int64_t most = 0;
  std::int64_t all = 0;
  for (const Step& step : steps) {
    const std::int64_t cells = printed_cells(step, options.text.print);
    most = std::max(most, cells);
    all = sum(all, cells);
  }
  return sum(product(most, bytes_per_cell(options)), options.predict ? product(all, bytes_per_memory) : 0);
}

/// What is held of a change's text until a page packs it.
std::int64_t packed_bytes(const std::vector<Step>& steps, const Options& options) {
  constexpr std::int64_t bytes_per_number = 100;
  std::int64_t numbers = 0;
  for (const Step& step : steps) {
    numbers = sum(numbers, printed_cells(step, options.text.print));
  }
  return product(numbers, bytes_per_number);
}

/// What was drawn, whether a step shows it or not.
std::vector<Tensor> drawn_tensors(const Walkthrough& walk) {
  std::vector<Tensor> drawn;
  for (const torch::Draw& draw : walk.draws().draws) {
    drawn.push_back(draw.leaf);
  }
  return drawn;
}

/// The bytes that are held of a program's text, in which each number may stand that is drawn or a reader's own.
std::int64_t program_bytes(const Walkthrough& walk) {
  constexpr std::int64_t bytes_per_number = 80;
  std::vector<Tensor> listed = drawn_tensors(walk);
  for (const Step& step : walk.steps()) {
    if (step.kind == Step::Kind::tensor) {
      const Tensor& data = data_of(*step.tensor);
      listed.insert(listed.end(), data.operation().facts().is_own ? 1 : 0, data);
    }
  }
  std::int64_t numbers = 0;
  for (const Tensor& tensor : listed) {
    if (__builtin_add_overflow(numbers, element_count(tensor.shape()), &numbers)) {
      throw TooLarge("there are more than 2^63 numbers to list");
    }
  }
  return product(numbers, bytes_per_number);
}

/// The bytes that are held of the table of what is drawn: of an embedding, the words of each number, and of a dropout
/// mask, the numbers that one word may make.
std::int64_t draws_bytes(const std::vector<Tensor>& drawn) {
  constexpr std::int64_t bytes_per_number = 200;
  std::int64_t bytes = 0;
  for (const Tensor& tensor : drawn) {
    const bool is_held = tensor.kind() == Kind::embedding || tensor.kind() == Kind::bernoulli;
    const std::int64_t held = is_held ? product(element_count(tensor.shape()), bytes_per_number) : 0;
    if (__builtin_add_overflow(bytes, held, &bytes)) {
      throw TooLarge("there are more than 2^63 numbers to draw");
    }
  }
  return bytes;
}

/// The most terms that a derivation of one number back from this tensor may have: the numbers of an axis or, where
/// whole tensors are compared, of a tensor.
std::int64_t most_terms(const Tensor& tensor, std::unordered_set<const void*>& seen) {
  std::int64_t most = 0;
  if (!seen.insert(tensor.id()).second) {
    return most;
  }
  for (const Tensor& operand : tensor.operands()) {
    const Shape& shape = operand.shape();
    const std::int64_t longest = shape.empty() ? 1 : *std::max_element(shape.begin(), shape.end());
    const bool takes_all = tensor.kind() == Kind::comparison || tensor.kind() == Kind::sum;
    most = std::max({most, takes_all ? element_count(shape) : longest, most_terms(operand, seen)});
  }
  return most;
}

/// What is held of a number's derivation.
std::int64_t derivation_bytes(const Tensor& tensor) {
  constexpr std::int64_t bytes_per_term = 300;
  std::unordered_set<const void*> seen;
  return product(most_terms(tensor, seen), bytes_per_term);
}

void plan(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options) {
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::plan);
  const Walkthrough planned = chapters::walk(chapter, lesson, torch);
  std::vector<Step> wanted = selected(planned.steps(), chapter, options);
  check_one_tensor(wanted, planned.steps(), chapter, options);
  std::int64_t written = 0;
  if (options.draws) {
    written = draws_bytes(drawn_tensors(planned));
    wanted.clear();
  } else if (options.cell) {
    check_cell(planned.steps(), chapter, options);
    const std::vector<std::string> tokens = chapters::token_words(*chapter.article, lesson);
    written =
        derivation_bytes(*render::find_cell(planned.steps(), render::parse_cell(*options.cell), tokens).step->tensor);
  } else {
    written = options.emit != nullptr ? program_bytes(planned) : written_bytes(wanted, options);
  }
  if (options.save || options.cell || options.what_if != nullptr) {
    wanted = planned.steps();
  }
  if (options.what_if != nullptr) {
    const Walkthrough otherwise = changed(planned, *options.what_if);
    wanted.insert(wanted.end(), otherwise.steps().begin(), otherwise.steps().end());
  }
  const std::vector<Otherwise> what_ifs = what_ifs_of(planned, options);
  for (const Otherwise& otherwise : what_ifs) {
    wanted.insert(wanted.end(), otherwise.walk.steps().begin(), otherwise.walk.steps().end());
    written = sum(written, packed_bytes(otherwise.walk.steps(), options));
  }
  if (!what_ifs.empty()) {  // what a change did is said of all steps
    wanted.insert(wanted.end(), planned.steps().begin(), planned.steps().end());
  }
  check_fits(wanted, drawn_tensors(planned), available_memory(room_for_products()), written);
}

/// A command for the chapter, with its article where another one goes first.
std::string command(const chapters::Chapter& chapter, const std::string& options) {
  const auto& all = chapters::all_chapters();
  const auto first =
      std::find_if(all.begin(), all.end(), [&](const chapters::Chapter& other) { return other.name == chapter.name; });
  const std::string article =
      first->get().article == chapter.article ? "" : " --article " + std::string(chapter.article->name);
  return "attn-walkthrough " + std::string(chapter.name) + article + options;
}

}  // namespace

render::Framing framing(const chapters::Chapter& chapter, std::span<const Step> steps) {
  render::Framing framing = {std::string(chapters::chapter_question(chapter.name)), {}};
  if (const WhatIf* const what_if = chapters::telling_what_if(chapter.name, steps)) {
    framing.next.push_back(command(chapter, " --what-if " + std::string(what_if->name)));
  }
  const std::span<const chapters::Chapter> all = chapter.article->chapters;
  const auto next = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == chapter.name; }) + 1;
  framing.next.push_back(next == all.end() ? command(chapter, " --predict 1") : command(*next, " --explain"));
  return framing;
}

Walkthrough computed(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options) {
  plan(chapter, lesson, options);
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  return chapters::walk(chapter, lesson, torch);
}

void check_change_fits(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options,
                       const WhatIf& rule) {
  Options with_rule = options;
  with_rule.what_if = &rule;
  plan(chapter, lesson, with_rule);
}

render::ShownChapter shown(const chapters::Chapter& chapter, const Walkthrough& walkthrough, const Options& options) {
  const std::string name(chapter.name);
  render::ShownChapter result = {.name = name,
                                 .title = name + ": " + std::string(chapters::chapter_summary(name)),
                                 .about = about(chapter, options),
                                 .steps = selected(walkthrough.steps(), chapter, options),
                                 .all_steps = walkthrough.steps(),
                                 .tokens = chapters::token_words(*chapter.article, options.lesson),
                                 .why = why_in(chapter, options.lesson),
                                 .framing = {},
                                 .article = std::string(chapter.article->title),
                                 .what_ifs = shown_what_ifs(walkthrough, options)};
  if (options.only.empty() && options.what_if == nullptr) {
    result.framing = [&chapter](std::span<const Step> steps) { return framing(chapter, steps); };
  }
  for (const Step& step : result.steps) {
    if (step.kind == Step::Kind::tensor) {
      step.tensor->array();
    }
  }
  return result;
}

emit::Chapter emitted(const chapters::Chapter& chapter, const Walkthrough& walkthrough, const Options& options) {
  const std::string name(chapter.name);
  emit::Chapter result = {.name = name,
                          .title = name + ": " + std::string(chapters::chapter_summary(name)),
                          .article = std::string(chapter.article->title),
                          .walk = walkthrough,
                          .shown = selected(walkthrough.steps(), chapter, options),
                          .printed = {}};
  if (options.emit->shows_output) {
    for (const Step& step : result.shown) {
      result.printed.push_back(render::step_text(step, options.text) + step.end);
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

render::Why why_in(const chapters::Chapter& chapter, const Lesson& lesson) {
  struct Planned {
    render::Reasons reasons;
    std::vector<std::string> tokens;
  };
  const auto planned = std::make_shared<std::optional<Planned>>();
  return [&chapter, &lesson, planned](const Step& step) {
    if (!*planned) {
      torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::plan);
      planned->emplace(Planned{render::Reasons(chapters::walk(chapter, lesson, torch).steps()),
                               chapters::token_words(*chapter.article, lesson)});
    }
    const auto& [reasons, tokens] = **planned;
    return render::StepWords(chapters::meaning(chapter, step), reasons.of(step, tokens));
  };
}

}  // namespace attn::cli
