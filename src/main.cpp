#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <new>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "chapter.hpp"
#include "cli/options.hpp"
#include "cli/text.hpp"
#include "cli/verify.hpp"
#include "cli/write.hpp"
#include "render/save.hpp"
#include "render/text.hpp"
#include "walk/memory.hpp"

namespace {

using namespace attn;

/// Writes what is buffered. A reader that closed the pipe early has what it wants; anything else is an error.
void flush_output() {
  errno = 0;
  if (!(std::cout << std::flush) && errno != EPIPE) {
    throw std::runtime_error("standard output cannot be written; accepted is a file or pipe with room; is the disk full?");
  }
}

Walkthrough walk(const chapters::ChapterEntry& chapter, const Lesson& lesson, torch::Torch& torch) {
  Walkthrough walkthrough;
  chapter.run(lesson, torch, walkthrough);
  return walkthrough;
}

/// Writes to the file that is asked for, or to standard output. Throws std::runtime_error where that cannot be done.
void write_output(const cli::Options& options, const std::function<void(std::ostream&)>& write) {
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

/// Throws TooLarge where the chapter's tensors would not fit into memory.
void plan(const chapters::ChapterEntry& chapter, const Lesson& lesson, const cli::Options& options) {
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::plan);
  const Walkthrough planned = walk(chapter, lesson, torch);
  const std::vector<Step> wanted = cli::selected(planned.steps(), chapter, options);
  const bool any_step = options.save || options.cell || lesson.what_if;
  check_fits(any_step ? planned.steps() : wanted, torch.planned_draws(), available_memory());
}

/// The chapter with all its random numbers drawn.
Walkthrough computed(const chapters::ChapterEntry& chapter, const Lesson& lesson, const cli::Options& options) {
  plan(chapter, lesson, options);
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  return walk(chapter, lesson, torch);
}

/// Writes the text, and the walkthrough's tensors to the folder that is asked for, or neither.
void write_and_save(const cli::Options& options, const Walkthrough& walkthrough,
                    const std::function<void(std::ostream&)>& write) {
  std::optional<render::Saving> saving;
  if (options.save) {
    std::signal(SIGPIPE, SIG_IGN);  // the files are wanted, whoever reads the text
    saving.emplace(*options.save, walkthrough.steps(), cli::about(options));
  }
  write_output(options, write);
  if (saving) {
    saving->publish();
  }
}

void run_what_if(const chapters::ChapterEntry& chapter, const cli::Options& options) {
  Lesson lesson = options.lesson;
  lesson.what_if.reset();
  const Walkthrough as_is = computed(chapter, lesson, options);
  const Walkthrough changed = computed(chapter, options.lesson, options);
  write_and_save(options, changed,
                 [&](std::ostream& out) { cli::write_what_if(out, chapter, as_is, changed, options); });
}

void run_presenter(const chapters::ChapterEntry& chapter, const cli::Options& options) {
  cli::present(chapter, options, [&](std::uint64_t seed) {
    Lesson lesson = options.lesson;
    lesson.seed = seed;
    return cli::selected(computed(chapter, lesson, options).steps(), chapter, options);
  });
}

/// Everything that can go wrong goes wrong before the first byte is written.
void run(const chapters::ChapterEntry& chapter, const cli::Options& options) {
  const Walkthrough walkthrough = computed(chapter, options.lesson, options);
  const std::vector<Step> steps = cli::selected(walkthrough.steps(), chapter, options);
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::tensor) {
      step.tensor->array();
    }
  }
  if (options.predict) {
    cli::predict(steps, options);
    flush_output();
    return;
  }
  write_and_save(options, walkthrough, [&](std::ostream& out) {
    cli::write(out, chapter, steps, walkthrough.steps(), options);
  });
}

/// Returns the exit code.
int run(const cli::Options& options) {
  if (!options.note.empty()) {
    std::cerr << "attn-walkthrough: note: " << options.note << '\n';
  }
  int code = 0;
  switch (options.command) {
    case cli::Command::message: std::cout << options.message; break;
    case cli::Command::list: std::cout << cli::list(options.json); break;
    case cli::Command::verify: code = cli::verify(options, std::cout); break;
    case cli::Command::walk:
      for (const chapters::ChapterEntry* chapter : options.chapters) {
        if (options.chapters.size() > 1) {
          std::cout << "# " << chapter->name << "\n";
        }
        if (options.step) {
          run_presenter(*chapter, options);
        } else if (options.lesson.what_if) {
          run_what_if(*chapter, options);
        } else {
          run(*chapter, options);
        }
      }
  }
  flush_output();
  return code;
}

int fail(const std::string& message) {
  std::cerr << "attn-walkthrough: error: " << cli::one_line(message) << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  std::ios::sync_with_stdio(false);
  return run(cli::parse(argc, argv));
} catch (const attn::TooLarge& error) {
  return fail(std::string(error.what()) + "; choose smaller --tokens, --d-in, --batch or --d-out");
} catch (const std::bad_alloc&) {
  return fail("the tensors do not fit into memory; choose smaller --tokens, --d-in, --batch or --d-out");
} catch (const std::exception& error) {
  return fail(error.what());
}
