#include "cli/run.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "cli/compute.hpp"
#include "text/lines.hpp"
#include "cli/verify.hpp"
#include "inputs.hpp"
#include "present/predict.hpp"
#include "present/presenter.hpp"
#include "render/save.hpp"
#include "render/side_by_side.hpp"
#include "tensor/array.hpp"

namespace attn::cli {
namespace {

using chapters::Chapter;
using Write = std::function<void(std::ostream&)>;

/// Writes what is buffered. A reader that closed the pipe early has what it wants; anything else is an error.
void flush_output() {
  errno = 0;
  if (!(std::cout << std::flush) && errno != EPIPE) {
    throw std::runtime_error("standard output cannot be written; accepted is a file or pipe with room; is the disk full?");
  }
}

/// Writes to the file that is asked for, or to standard output. Throws std::runtime_error where that cannot be done.
void write_output(const Options& options, const Write& write) {
  if (!options.output) {
    write(std::cout);
    flush_output();
    return;
  }
  std::ostringstream text;
  write(text);
  errno = 0;
  std::ofstream file(*options.output, std::ios::binary);
  file << text.str() << std::flush;
  if (!file) {
    throw std::runtime_error("--output cannot write '" + *options.output + "' (" +
                             std::strerror(errno == 0 ? EIO : errno) +
                             "); accepted is a file that can be made or written; try --output steps.txt");
  }
}

/// Writes the text, and the chapters' tensors to the folder that is asked for, or neither.
void write_and_save(const Options& options, const std::vector<render::ShownChapter>& chapters, const Write& write) {
  std::optional<render::Saving> saving;
  if (options.save) {
    std::signal(SIGPIPE, SIG_IGN);  // the files are wanted, whoever reads the text
    saving.emplace(*options.save, chapters);
  }
  write_output(options, write);
  if (saving) {
    saving->publish();
  }
}

/// The walkthrough twice, side by side: as it is, and with one rule changed.
void run_what_if(const Chapter& chapter, const Options& options) {
  const Walkthrough as_is = computed(chapter, options.lesson, options);
  const Walkthrough changed = attn::changed(as_is, *options.what_if);
  const std::vector<Step> left = shown(chapter, as_is, options).steps;
  const render::ShownChapter right = shown(chapter, changed, options);
  const std::string sentence =
      what_the_change_did(*options.what_if, as_is.steps(), changed.steps());
  const std::int64_t width = render::detect_terminal(options.output ? -1 : STDOUT_FILENO).width;
  write_and_save(options, {right}, [&](std::ostream& out) {
    render::write_side_by_side(out, left, right.steps, sentence, options.text, width);
  });
}

/// The presenter, on the terminal.
void run_presenter(const Chapter& chapter, const Options& options) {
  const auto walk = [&](torch::Seed seed) {
    Lesson lesson = options.lesson;
    lesson.seed = seed;
    return selected(computed(chapter, lesson, options).steps(), chapter, options);
  };
  present::present({.walk = walk,
                    .seed = options.lesson.seed,
                    .tokens = chapters::token_words(*chapter.article, options.lesson),
                    .why = why_in(chapter),
                    .text = options.text});
}

/// Asks on standard output, reads answers from standard input.
void run_predict(const Chapter& chapter, const Options& options) {
  const render::ShownChapter asked = shown(chapter, computed(chapter, options.lesson, options), options);
  present::Prediction prediction;
  prediction.cells = options.predict.value();
  prediction.seed = options.lesson.seed;
  prediction.tokens = asked.tokens;
  prediction.text = options.text;
  prediction.interactive = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  present::predict(std::cin, std::cout, asked.steps, prediction);
}

void run_walk(const Options& options) {
  const Chapter& first = *options.chapters.at(0);
  if (options.step) {
    return run_presenter(first, options);
  }
  if (options.predict) {
    return run_predict(first, options);
  }
  if (options.what_if != nullptr) {
    return run_what_if(first, options);
  }
  std::vector<render::ShownChapter> chapters;
  for (const Chapter* chapter : options.chapters) {
    chapters.push_back(shown(*chapter, computed(*chapter, options.lesson, options), options));
  }
  const render::Document asked = document(std::move(chapters), options);
  write_and_save(options, asked.chapters, [&](std::ostream& out) { options.format->write(out, asked); });
}

}  // namespace

int run(const Options& options) {
  if (!options.note.empty()) {
    std::cerr << "attn-walkthrough: note: " << options.note << '\n';
  }
  int code = 0;
  switch (options.command) {
    case Command::message: std::cout << options.message; break;
    case Command::list: std::cout << list(options.json); break;
    case Command::verify: code = verify(options, std::cout); break;
    case Command::walk: run_walk(options); break;
  }
  flush_output();
  return code;
}

std::string error_line(const std::exception& error) {
  if (dynamic_cast<const TooLarge*>(&error) != nullptr) {
    return text::one_line(std::string(error.what()) + "; choose smaller --tokens, --d-in, --batch or --d-out");
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "the tensors do not fit into memory; choose smaller --tokens, --d-in, --batch or --d-out";
  }
  return text::one_line(error.what());
}

}  // namespace attn::cli
