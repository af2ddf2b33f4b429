#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "chapter.hpp"
#include "cli/options.hpp"
#include "cli/text.hpp"
#include "cli/verify.hpp"
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

/// Throws TooLarge where the chapter's tensors would not fit into memory.
void plan(const chapters::ChapterEntry& chapter, const cli::Options& options) {
  torch::Torch torch(options.lesson.cpu, options.lesson.dropout_kernel, torch::Torch::Mode::plan);
  const Walkthrough planned = walk(chapter, options.lesson, torch);
  check_fits(options.save ? planned.steps() : cli::selected(planned.steps(), chapter, options),
             torch.planned_draws(), available_memory());
}

/// Everything that can go wrong goes wrong before the first byte is written.
void run(const chapters::ChapterEntry& chapter, const cli::Options& options) {
  plan(chapter, options);
  torch::Torch torch(options.lesson.cpu, options.lesson.dropout_kernel, torch::Torch::Mode::compute);
  const Walkthrough walkthrough = walk(chapter, options.lesson, torch);
  const std::vector<Step> steps = cli::selected(walkthrough.steps(), chapter, options);
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::tensor) {
      step.tensor->array();
    }
  }
  std::optional<render::Saving> saving;
  if (options.save) {
    std::signal(SIGPIPE, SIG_IGN);  // the files are wanted, whoever reads the text
    saving.emplace(*options.save, walkthrough.steps(), cli::about(options));
  }
  render::write_text(std::cout, steps, options.text);
  flush_output();
  if (saving) {
    saving->publish();
  }
}

/// Returns the exit code.
int run(const cli::Options& options) {
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
        run(*chapter, options);
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
