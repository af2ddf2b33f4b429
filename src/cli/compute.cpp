#include "cli/compute.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

#include "chapters/chapter.hpp"
#include "chapters/inputs.hpp"
#include "cli/help.hpp"
#include "picture/terminal.hpp"
#include "system/place.hpp"
#include "tensor/blas.hpp"
#include "tensor/tensor.hpp"
#include "walk/walkthrough.hpp"

namespace attn::cli {

namespace {

/// The settings that are given, and what names a layer, each once, in the order of the line.
std::vector<GivenOption> settings_of(const Options& options) {
  std::vector<GivenOption> settings = options.given.last();
  std::erase_if(settings, [](const GivenOption& one) {
    return !is_setting(*one.option) && (one.option->takers & by_chapter) != 0;
  });
  return settings;
}

/// A command for the chapter with the given settings that it takes; it names the article unless that is the default.
std::string command(const chapters::Chapter& chapter, const Options& options, const std::string& more) {
  const std::string name = options.lesson.layer ? "layer" : std::string(chapter.name);
  const std::vector<const chapters::Chapter*> entries = entries_of(name);
  const Subcommand& command = named(subcommands(), name);
  std::string line = line_of(command);
  line += entries.empty() || entries[0] == &chapter ? "" : " --article " + std::string(chapter.article->name);
  for (const auto& [option, value] : settings_of(options)) {
    const bool is_taken = option->name != "--article" && takes(command, *option);
    line += is_taken ? " " + std::string(option->name) + (value.empty() ? "" : " " + shell_word(value)) : "";
  }
  return line + more;
}

/// "seed 7, num-heads 2": the seed, and the other settings that were given.
std::string settings_text(const Options& options) {
  std::string text = options.lesson.seed || options.lesson.layer ? "" : "seed " + default_seed.text();
  for (const auto& [option, value] : settings_of(options)) {
    if (option->name != "--article") {
      text += (text.empty() ? "" : ", ") + std::string(option->name.substr(2)) + (value.empty() ? "" : " " + value);
    }
  }
  return text;
}

/// Throws TooLarge where the steps that are wanted need more memory than there is, and lets them have no more.
void check_memory(const Walkthrough& planned, std::span<const Step> wanted, bool is_changed, const Options& options) {
  std::vector<Tensor> drawn;  // shown or not
  for (const torch::Draw& draw : planned.draws().draws) {
    drawn.push_back(draw.leaf);
  }
  const bool is_saved = options.save || options.tensors != nullptr;
  const bool reads_all = is_changed || options.explain || options.heatmap || options.step || options.predict ||
                         (options.format->reads_all && !options.cell);
  const std::int64_t available = available_memory();
  check_fits(wanted, drawn, available, reads_all ? Needed::all : is_saved ? Needed::rows : Needed::edges);
  cap_memory(available, room_for_products(evaluation().threads));
}

}  // namespace

render::Framing framing(const chapters::Chapter& chapter, const Options& options, std::span<const Step> steps) {
  const chapters::Topic& topic = chapters::topic_of(chapter.name);
  render::Framing framing = {.question = std::string(topic.question),
                             .idea = std::string(topic.idea) + " " + std::string(topic.look),
                             .goals = {topic.goals.begin(), topic.goals.end()},
                             .next = {}};
  if (const WhatIf* const what_if = chapters::telling_what_if(chapter.name, steps)) {
    framing.next.push_back(command(chapter, options, " --what-if " + std::string(what_if->name)));
  }
  const std::span<const chapters::Chapter> all = chapter.article->chapters;
  const auto next = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == chapter.name; }) + 1;
  framing.next.push_back(next == all.end() ? command(chapter, options, " --predict 1")
                                           : command(*next, options, " --explain"));
  return framing;
}

// --emit and --draws compute only the tensors that are saved.
Walkthrough planned(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options) {
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::plan);
  Walkthrough planned = chapters::walk(chapter, lesson, torch);
  std::vector<Step> wanted = selected(planned.steps(), chapter, options);
  check_one_tensor(wanted, chapter, options);
  if (options.cell) {
    check_cell(planned.steps(), chapter, options);
  }
  const std::vector<Otherwise> what_ifs = what_ifs_of(planned, options);
  const bool is_changed = !what_ifs.empty();
  if (options.save || options.tensors != nullptr || options.cell || is_changed) {
    wanted = planned.steps();  // the sentence about a change covers all steps
  } else if (options.draws || options.emit != nullptr) {
    wanted.clear();
  }
  for (const Otherwise& otherwise : what_ifs) {
    wanted.insert(wanted.end(), otherwise.walk.steps().begin(), otherwise.walk.steps().end());
  }
  if (options.save) {
    check_disk(*options.save, planned.steps());
  }
  check_memory(planned, wanted, is_changed, options);
  std::unordered_set<const void*> seen;
  for (const Step& step : planned.steps()) {
    if (step.tensor) {
      for_each_source(*step.tensor, seen, [](const Tensor& source) {
        const bool is_own = source.operation().facts().is_own && source.operands().empty();
        const bool is_of_own = source.operation().picks_rows() && source.operands()[0].operation().facts().is_own;
        if ((is_own && source.is_at_hand()) || is_of_own) {
          source.array();
        }
      });
    }
  }
  return planned;
}

Walkthrough computed(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options) {
  planned(chapter, lesson, options);
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  return chapters::walk(chapter, lesson, torch);
}

render::ShownChapter shown(const chapters::Chapter& chapter, const Walkthrough& walkthrough, const Options& options) {
  const std::string name(chapter.name);
  render::ShownChapter result = {.name = name,
                                 .title = name + ": " + std::string(chapters::topic_of(name).summary),
                                 .about = about(chapter, options),
                                 .steps = selected(walkthrough.steps(), chapter, options),
                                 .all_steps = walkthrough.steps(),
                                 .tokens = chapters::token_words(*chapter.article, options.lesson),
                                 .why = why_in(chapter, options),
                                 .framing = {},
                                 .article = std::string(chapter.article->title),
                                 .what_ifs = {}};
  if (options.only.empty()) {
    result.framing = [&chapter, &options](std::span<const Step> steps) { return framing(chapter, options, steps); };
  }
  for (const Step& step : result.steps) {
    if (step.kind == Step::Kind::tensor) {
      step.tensor->prepare();
    }
  }
  return result;
}

emit::Chapter emitted(const chapters::Chapter& chapter, const Walkthrough& walkthrough, const Options& options) {
  const std::string name(chapter.name);
  emit::Chapter result = {.name = name,
                          .title = name + ": " + std::string(chapters::topic_of(name).summary),
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
  result.settings = settings_text(options);
  result.explain = options.explain;
  result.heatmap = options.heatmap;
  result.slides = options.slides;
  if (options.live) {
    result.live = live_settings(options.name, settings_of(options));
  }
  if (options.cell) {
    result.cell = render::parse_cell(*options.cell);
  }
  result.depth = options.depth.value_or(1);
  if (options.predict) {
    result.asked = {.cells = *options.predict, .seed = options.lesson.seed.value_or(default_seed)};
  }
  result.glossary = find_guide("glossary")->text;
  result.terminal =
      options.output ? render::file_terminal(options.colours) : render::detect_terminal(STDOUT_FILENO, options.colours);
  if (options.given.has("--linewidth") && options.what_if == nullptr) {  // a comparison has two tensors in a line
    result.terminal.width = options.text.print.linewidth;
  }
  return result;
}

render::Why why_in(const chapters::Chapter& chapter, const Options& options) {
  struct Planned {
    render::Reasons reasons;
    std::vector<std::string> tokens;
  };
  const auto planned = std::make_shared<std::optional<Planned>>();
  return [&chapter, &options, planned](const Step& step) {
    if (!*planned) {
      const Lesson& lesson = options.lesson;
      torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::plan);
      const Walkthrough walk = chapters::walk(chapter, lesson, torch);
      std::vector<Step> steps;  // each reason is told once among these: with --only, after what is explained with it
      for (const Step& shown : options.only.empty() ? walk.steps() : selected(walk.steps(), chapter, options)) {
        steps.insert(steps.end(), shown.through.begin(), shown.through.end());
        steps.push_back(shown);
      }
      planned->emplace(Planned{render::Reasons(steps), chapters::token_words(*chapter.article, lesson)});
    }
    const auto& [reasons, tokens] = **planned;
    return render::StepWords(chapters::meaning(chapter, step, options.lesson), reasons.of(step, tokens));
  };
}

namespace {

/// The most numbers, of all changes together, that a page may hold; with more it loads too slowly.
constexpr std::int64_t most_numbers = 40'000;

/// Counts the numbers of tensors that are not in `seen`, and adds the tensors to it.
std::int64_t new_numbers(const std::vector<Step>& steps, std::unordered_set<const void*>& seen) {
  std::int64_t numbers = 0;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::tensor && seen.insert(step.tensor->id()).second) {
      numbers += element_count(step.tensor->shape());
    }
  }
  return numbers;
}

/// Returns true if a page shows every tensor in full.
bool are_shown_whole(const std::vector<Step>& steps, const Options& options) {
  const std::int64_t most = std::min(options.text.print.threshold, render::most_page_elements);
  return std::all_of(steps.begin(), steps.end(), [most](const Step& step) {
    return step.kind != Step::Kind::tensor || element_count(step.tensor->shape()) <= most;
  });
}

}  // namespace

std::vector<Otherwise> what_ifs_of(const Walkthrough& as_is, const Options& options) {
  std::vector<Otherwise> asked;
  if (options.what_if != nullptr) {
    asked.push_back({options.what_if, changed(as_is, *options.what_if)});
  }
  if (!options.format->shows_what_ifs || !are_shown_whole(as_is.steps(), options)) {
    return asked;
  }
  std::unordered_set<const void*> seen;
  new_numbers(as_is.steps(), seen);
  std::int64_t numbers = 0;
  std::vector<Otherwise> result;
  for (const WhatIf& what_if : all_what_ifs()) {
    if (&what_if == options.what_if || applies(what_if, as_is.steps())) {
      result.push_back({&what_if, changed(as_is, what_if)});
      numbers += new_numbers(result.back().walk.steps(), seen);
    }
  }
  return numbers > most_numbers ? asked : result;
}

std::vector<render::ShownWhatIf> shown_what_ifs(const Walkthrough& as_is, const Options& options) {
  std::vector<render::ShownWhatIf> result;
  for (const auto& [what_if, walk] : what_ifs_of(as_is, options)) {
    result.push_back({.name = std::string(what_if->name),
                      .rule = sentence_of(*what_if),
                      .did = what_the_change_did(*what_if, as_is.steps(), walk.steps()),
                      .steps = selected_if_there(walk.steps(), options),
                      .is_asked_for = what_if == options.what_if});
  }
  return result;
}

}  // namespace attn::cli
