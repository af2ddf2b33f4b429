#include "cli/run.hpp"

#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <iostream>
#include <iterator>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "chapters/inputs.hpp"
#include "chapters/own.hpp"
#include "cli/compute.hpp"
#include "cli/help.hpp"
#include "cli/option_rows.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/port.hpp"
#include "cli/verify.hpp"
#include "present/predict.hpp"
#include "present/presenter.hpp"
#include "render/markdown.hpp"
#include "system/signals.hpp"
#include "tensor/array.hpp"
#include "tensor/evaluation.hpp"
#include "text/lines.hpp"
#include "torch/torch.hpp"
#include "walk/drawn_words.hpp"
#include "walk/memory.hpp"

namespace attn::cli {
namespace {

using chapters::Chapter;

/// Removes the chapters that have no step named by --only, if there are several chapters. Throws UsageError for a name
/// that no chapter has. `steps_of` returns a chapter's shown steps, `all_of` all its steps.
template <class AnyChapter, class StepsOf, class AllOf>
void leave_out_others(std::vector<AnyChapter>& chapters, const Options& options, StepsOf steps_of, AllOf all_of) {
  if (options.chapters.size() == 1 || options.only.empty()) {
    return;
  }
  std::vector<Step> all;
  for (const AnyChapter& chapter : chapters) {
    const std::vector<Step>& steps = std::invoke(all_of, chapter);
    all.insert(all.end(), steps.begin(), steps.end());
  }
  check_only(all, "the article", options);
  std::erase_if(chapters, [&](const AnyChapter& chapter) { return std::invoke(steps_of, chapter).empty(); });
}

/// Writes a program that reproduces the run.
void run_emit(const Options& options) {
  const Outputs outputs(options);
  std::vector<render::ShownChapter> saved;
  emit::Request request = {.chapters = {}, .print = options.text.print, .show_grad = options.text.show_grad};
  if (options.lesson.layer) {
    request.checkpoint = options.lesson.layer->files;
  }
  for (const Chapter* chapter : options.chapters) {
    const Walkthrough as_is = computed(*chapter, options.lesson, options);
    const Walkthrough walk = options.what_if != nullptr ? attn::changed(as_is, *options.what_if) : as_is;
    request.chapters.push_back(emitted(*chapter, walk, options));
    if (options.save) {
      saved.push_back(shown(*chapter, walk, options));
    }
  }
  leave_out_others(request.chapters, options, &emit::Chapter::shown,
                   [](const emit::Chapter& one) -> const std::vector<Step>& { return one.walk.steps(); });
  outputs.write(saved, [&](std::ostream& out) { options.emit->write(out, request); });
}

/// Writes the text, or the file of tensors: of all, or of those that --only names.
void write_form(std::ostream& out, const render::Document& asked, std::span<const render::ShownChapter> chapters,
                const Options& options) {
  if (options.tensors == nullptr) {
    options.format->write(out, asked);
    return;
  }
  std::vector<render::ShownChapter> saved(chapters.begin(), chapters.end());
  for (render::ShownChapter& chapter : saved) {
    chapter.all_steps = options.only.empty() ? chapter.all_steps : chapter.steps;
  }
  options.tensors->write([&out](std::string_view bytes) { out << bytes; }, saved);
}

/// Writes the words of the random draws as tensors.
void run_draws(const Chapter& chapter, const Options& options) {
  const Outputs outputs(options);
  const Walkthrough words = drawn_words(computed(chapter, options.lesson, options));
  if (words.steps().empty()) {
    throw UsageError("--draws: " + std::string(chapter.name) + " draws no random numbers; leave --draws out");
  }
  const render::Document asked = document({shown(chapter, words, options)}, options);
  outputs.write(asked.chapters, [&](std::ostream& out) { write_form(out, asked, asked.chapters, options); });
}

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
                check_change_fits(chapter, options.lesson, options, rule);
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

/// Presents the chapters that have a step to show.
void run_presenter(const Options& options) {
  struct Planned {
    const Chapter* chapter;
    const Options* options;
    std::vector<Step> all_steps;
    std::vector<Step> steps;
  };
  std::vector<Planned> planned;
  const std::deque<Options> each = options_of_chapters(options);
  for (std::size_t i = 0; i < each.size(); ++i) {
    const Chapter* const chapter = options.chapters[i];
    torch::Torch torch(each[i].lesson.kernels, each[i].lesson.dropout_kernel, torch::Torch::Mode::plan);
    const std::vector<Step> all = chapters::walk(*chapter, each[i].lesson, torch).steps();
    planned.push_back({chapter, &each[i], all, selected_if_there(all, options)});
  }
  leave_out_others(planned, options, &Planned::steps, &Planned::all_steps);
  std::vector<present::Presentation> presentations;
  for (const Planned& one : planned) {
    presentations.push_back(presentation(*one.chapter, *one.options));
  }
  present::present(presentations, options.colours);
}

/// Asks for hidden cells on standard output and reads the answers from standard input, or writes them as a handout.
void run_predict(const Chapter& chapter, const Options& options) {
  if (options.emit != nullptr || options.format != &render::default_writer()) {
    const Outputs outputs(options);
    const render::Document asked =
        document({shown(chapter, computed(chapter, options.lesson, options), options)}, options);
    outputs.write(asked.chapters, [&](std::ostream& out) {
      (options.emit != nullptr ? render::write_exercises_notebook : options.format->write)(out, asked);
    });
    return;
  }
  const render::ShownChapter asked = shown(chapter, computed(chapter, options.lesson, options), options);
  present::Prediction prediction;
  prediction.cells = options.predict.value();
  prediction.seed = options.lesson.seed.value_or(default_seed);
  prediction.tokens = asked.tokens;
  prediction.text = options.text;
  prediction.interactive = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  to_standard_output([&](std::ostream& out) { present::predict(std::cin, out, asked.steps, prediction); });
}

void run_walk(const Options& options) {
  const Chapter& first = *options.chapters.at(0);
  if (options.step) {
    return run_presenter(options);
  }
  if (options.predict) {
    return run_predict(first, options);
  }
  if (options.draws) {
    return run_draws(first, options);
  }
  if (options.emit != nullptr) {
    return run_emit(options);
  }
  const Outputs outputs(options);
  const std::deque<Options> each = options_of_chapters(options);
  std::vector<render::ShownChapter> chosen;
  std::vector<render::ShownChapter> chapters;  // as they are saved
  for (std::size_t i = 0; i < each.size(); ++i) {
    const Chapter& chapter = *options.chapters[i];
    const Walkthrough as_is = computed(chapter, each[i].lesson, each[i]);
    chosen.push_back(shown(chapter, as_is, each[i]));
    chosen.back().what_ifs = shown_what_ifs(as_is, each[i]);
    const WhatIf* const what_if = options.what_if;
    chapters.push_back(what_if == nullptr ? chosen.back() : shown(chapter, changed(as_is, *what_if), each[i]));
  }
  leave_out_others(chosen, options, &render::ShownChapter::steps, &render::ShownChapter::all_steps);
  const render::Document asked = document(std::move(chosen), options);
  outputs.write(chapters, [&](std::ostream& out) { write_form(out, asked, chapters, options); });
}

/// Notes on given weights that a chapter does not use, and on its weights that were not given. `walk_of` returns a
/// chapter's walkthrough.
template <class WalkOf>
std::vector<std::string> notes_on_weights(std::span<const Chapter* const> chapters, const Lesson& lesson,
                                          const WalkOf& walk_of) {
  std::vector<std::string> notes;
  for (const Chapter* chapter : chapters) {
    const Walkthrough walk = walk_of(*chapter);
    if (!lesson.weights) {
      continue;
    }
    const chapters::WeightUse use = chapters::use_of(walk, *lesson.weights);
    const std::string where = chapters.size() > 1 ? " in " + std::string(chapter->name) : "";
    if (!use.unused.empty()) {
      notes.push_back("--weights: not a weight here" + where + ": " + text::joined(use.unused));
    }
    if (!use.drawn.empty()) {
      notes.push_back("--weights: not given, so drawn" + where + ": " + text::joined(use.drawn));
    }
  }
  return notes;
}

/// The same notes for the chapter that `verify --chapter` names.
std::vector<std::string> notes_on_weights(const VerifyOptions& verify) {
  const Chapter* const chapter = named_chapter(verify);
  const auto planned = [&](const Chapter& one) {
    torch::Torch torch(verify.lesson.kernels, verify.lesson.dropout_kernel, torch::Torch::Mode::plan);
    return chapters::walk(one, verify.lesson, torch);
  };
  try {
    return chapter == nullptr ? std::vector<std::string>{} : notes_on_weights({&chapter, 1}, verify.lesson, planned);
  } catch (const LessonError&) {
    return {};
  }
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
  const Lesson& lesson = options.lesson;
  if (options.command == Command::walk && (lesson.inputs || lesson.second_inputs || lesson.weights || lesson.layer)) {
    // Read them before any note is printed: an error is the only line.
    const auto walk_of = [&](const Chapter& chapter) { return planned(chapter, lesson, options); };
    std::ranges::copy(notes_on_weights(options.chapters, lesson, walk_of), std::back_inserter(notes));
  }
  if (options.command == Command::verify && options.verify.lesson.weights) {
    std::ranges::copy(notes_on_weights(options.verify), std::back_inserter(notes));
  }
  if (options.command != Command::verify) {
    std::ranges::for_each(notes, tell);
  }
  const auto show = [&options](const std::string& text) {
    to_reader(options, [&text](std::ostream& out) { out << text; });
  };
  switch (options.command) {
    case Command::help:
    case Command::message: show(options.message); break;
    case Command::list: show(list(options.words, options.json)); break;
    case Command::verify: {
      const int code = verify(options);
      std::ranges::for_each(notes, tell);  // not before: where a page cannot be read, the error is the only line
      return code;
    }
    case Command::completion: show(completion_script(options.words.front())); break;
    case Command::walk: run_walk(options); break;
  }
  return 0;
}

std::string error_line(const std::exception& error) {
  if (dynamic_cast<const TooLarge*>(&error) != nullptr) {
    return text::one_line(std::string(error.what()) + "; choose smaller --tokens, --d-in, --batch or --d-out");
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "this run needs more memory than is available" + free_memory_words() +
           "; choose smaller --tokens, --d-in, --batch or --d-out";
  }
  return text::one_line(error.what());
}

}  // namespace attn::cli
