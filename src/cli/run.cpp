#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#endif

#include <deque>
#include <iostream>
#include <new>
#include <thread>

#include "chapters/inputs.hpp"
#include "chapters/own.hpp"
#include "cli/compute.hpp"
#include "cli/help.hpp"
#include "cli/verify.hpp"
#include "present/presenter.hpp"
#include "render/writers.hpp"
#include "system/pager.hpp"
#include "tensor/tensor.hpp"
#include "text/lines.hpp"
#include "torch/torch.hpp"
#include "walk/walkthrough.hpp"

namespace attn::cli {
namespace {

using chapters::Chapter;

/// The options for each chapter: the kernels are its article's unless they are given.
std::deque<Options> options_of_chapters(const Options& options) {
  std::deque<Options> all;
  for (const Chapter* chapter : options.chapters) {
    all.push_back(options);
    all.back().lesson.kernels.cpu = options.typed.cpu.value_or(chapter->article->cpu);
  }
  return all;
}

/// The presenter's view of a chapter. Chapter and options must outlive it.
present::Presentation presentation(const Chapter& chapter, const Options& options) {
  return {.walk = [&] { return computed(chapter, options.lesson, options); },
          .select = [&](const std::vector<Step>& steps) { return selected(steps, chapter, options); },
          .what_ifs = [&] { return chapters::what_ifs(chapter); },
          .change =
              [&](const Walkthrough& as_is, const WhatIf& rule) {
                Options with_rule = options;
                with_rule.what_if = &rule;
                planned(chapter, options.lesson, with_rule);  // both fit into memory
                return changed(as_is, rule);
              },
          .seed = options.lesson.seed.value_or(default_seed).text(),
          .tokens = chapters::token_words(*chapter.article, options.lesson),
          .why = why_in(chapter, options),
          .text = options.text,
          .framing = [&](std::span<const Step> steps) { return framing(chapter, options, steps); },
          .is_framed = options.only.empty(),
          .explains = options.explain,
          .draws_heatmaps = options.heatmap};
}

/// The chapters that have a step to show. Throws UsageError for a name of --only that none of several has.
std::vector<const Chapter*> wanted_chapters(const Options& options) {
  if (options.chapters.size() == 1 || options.only.empty()) {
    return options.chapters;
  }
  std::vector<Step> all;
  std::vector<const Chapter*> wanted;
  for (const Chapter* chapter : options.chapters) {
    torch::Torch torch(options.lesson.kernels, options.lesson.dropout_kernel, torch::Torch::Mode::plan);
    const std::vector<Step> steps = chapters::walk(*chapter, options.lesson, torch).steps();
    all.insert(all.end(), steps.begin(), steps.end());
    selected_if_there(steps, options).empty() ? void() : wanted.push_back(chapter);
  }
  check_only(all, "the article", options);
  return wanted;
}

bool contains(const std::vector<const Chapter*>& chapters, const Chapter* chapter) {
  return std::ranges::find(chapters, chapter) != chapters.end();
}

/// Presents the chapters that have a step to show.
void run_presenter(const Options& options) {
  const std::deque<Options> each = options_of_chapters(options);
  const std::vector<const Chapter*> wanted = wanted_chapters(options);
  std::vector<present::Presentation> presentations;
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (contains(wanted, options.chapters[i])) {
      presentations.push_back(presentation(*options.chapters[i], each[i]));
    }
  }
  present::present(presentations, options.colours);
}

/// Writes a program that reproduces the run.
void run_emit(const Options& options) {
  const Outputs outputs(options);
  std::vector<render::ShownChapter> saved;
  emit::Request request = {.chapters = {}, .print = options.text.print, .show_grad = options.text.show_grad};
  if (options.lesson.layer) {
    request.checkpoint = options.lesson.layer->files;
  }
  const std::vector<const Chapter*> wanted = wanted_chapters(options);
  for (const Chapter* chapter : options.chapters) {
    const Walkthrough as_is = computed(*chapter, options.lesson, options);
    const Walkthrough walk = options.what_if != nullptr ? attn::changed(as_is, *options.what_if) : as_is;
    contains(wanted, chapter) ? request.chapters.push_back(emitted(*chapter, walk, options)) : void();
    options.save ? saved.push_back(shown(*chapter, walk, options)) : void();
  }
  outputs.write(saved, [&](std::ostream& out) { options.emit->write(out, request); });
}

/// Asks for hidden cells on standard output and reads the answers from standard input.
void ask(const Chapter& chapter, const Options& options) {
  const render::ShownChapter asked = shown(chapter, computed(chapter, options.lesson, options), options);
  present::Prediction prediction;
  prediction.cells = options.predict.value();
  prediction.seed = options.lesson.seed.value_or(default_seed);
  prediction.tokens = asked.tokens;
  prediction.text = options.text;
  prediction.interactive = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  to_standard_output([&](std::ostream& out) { present::predict(std::cin, out, asked.steps, prediction); });
}

/// Writes the text, a notebook of questions, or the file of tensors: of all, or of those that --only names.
void write_form(std::ostream& out, const render::Document& asked, std::vector<render::ShownChapter> saved,
                const Options& options) {
  if (options.tensors == nullptr) {
    return (options.emit != nullptr ? render::write_exercises_notebook : options.format->write)(out, asked);
  }
  for (render::ShownChapter& chapter : saved) {
    chapter.all_steps = options.only.empty() ? chapter.all_steps : chapter.steps;
  }
  options.tensors->write([&out](std::string_view bytes) { out << bytes; }, saved);
}

void run_walk(const Options& options) {
  if (options.step) {
    return run_presenter(options);
  }
  if (options.emit != nullptr && !options.predict) {
    return run_emit(options);
  }
  if (options.predict && options.emit == nullptr && options.format == &render::default_writer()) {
    return ask(*options.chapters.at(0), options);
  }
  const Outputs outputs(options);
  const std::deque<Options> each = options_of_chapters(options);
  const std::vector<const Chapter*> wanted = wanted_chapters(options);
  std::vector<render::ShownChapter> chosen;
  std::vector<render::ShownChapter> chapters;  // as they are saved
  for (std::size_t i = 0; i < each.size(); ++i) {
    const Chapter& chapter = *options.chapters[i];
    Walkthrough as_is = computed(chapter, each[i].lesson, each[i]);
    as_is = options.draws ? drawn_words(as_is) : as_is;
    if (as_is.steps().empty()) {
      throw UsageError("--draws: " + std::string(chapter.name) + " draws no random numbers; leave --draws out");
    }
    render::ShownChapter shown_here = shown(chapter, as_is, each[i]);
    shown_here.what_ifs = shown_what_ifs(as_is, each[i]);
    const WhatIf* const what_if = options.what_if;
    chapters.push_back(what_if == nullptr ? shown_here : shown(chapter, changed(as_is, *what_if), each[i]));
    contains(wanted, &chapter) ? chosen.push_back(std::move(shown_here)) : void();
  }
  const render::Document asked = document(std::move(chosen), options);
  outputs.write(chapters, [&](std::ostream& out) { write_form(out, asked, chapters, options); });
}

/// Notes on given weights that a chapter does not use, and on its weights that were not given.
std::vector<std::string> notes_on_weights(const Options& options) {
  std::vector<std::string> notes;
  for (const Chapter* chapter : options.chapters) {
    const chapters::WeightUse use =
        chapters::use_of(planned(*chapter, options.lesson, options), *options.lesson.weights);
    const std::string where = options.chapters.size() > 1 ? " in " + std::string(chapter->name) : "";
    if (!use.unused.empty()) {
      notes.push_back("--weights: not a weight here" + where + ": " + text::joined(use.unused));
    }
    if (!use.drawn.empty()) {
      notes.push_back("--weights: not given, so drawn" + where + ": " + text::joined(use.drawn));
    }
  }
  return notes;
}

int threads_of(const Options& options) {
  if (options.threads > 0) {
    return static_cast<int>(options.threads);
  }
#if defined(__linux__)
  cpu_set_t cores;  // asked for without opening a file
  const std::int64_t count = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
#else
  const std::int64_t count = std::thread::hardware_concurrency();
#endif
  return static_cast<int>(std::clamp<std::int64_t>(count, 1, most_threads));
}

}  // namespace

int run(const Options& options) {
  if (!options.step) {
    system::let_writes_fail();
  }
  evaluation().threads = threads_of(options);
  std::vector<std::string> notes = options.notes;
  if (options.command == Command::walk && options.lesson.weights) {
    std::ranges::copy(notes_on_weights(options), std::back_inserter(notes));
  }
  const auto show = [&options](const std::string& text) {
    to_reader(options, [&text](std::ostream& out) { out << text; });
  };
  int code = 0;
  switch (options.command) {
    case Command::help:
    case Command::message: show(options.message); break;
    case Command::list: show(list(options.words, options.json)); break;
    case Command::verify: code = verify(options); break;
    case Command::completion: show(completion_script(options.words.front())); break;
    case Command::walk: run_walk(options); break;
  }
  std::ranges::for_each(notes, tell);  // last: an error is the only line
  return code;
}

std::string error_line(const std::exception& error) {
  const bool is_too_large = dynamic_cast<const TooLarge*>(&error) != nullptr;
  const bool has_no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  return text::one_line(std::string(has_no_memory ? "this run needs more memory than is available" : error.what()) +
                        (is_too_large || has_no_memory ? "; choose smaller --tokens, --d-in, --batch or --d-out" : ""));
}

}  // namespace attn::cli
