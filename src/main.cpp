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

Walkthrough walk(const cli::Options& options, torch::Torch& torch) {
  Walkthrough walkthrough;
  options.chapter->run(options.lesson, torch, walkthrough);
  return walkthrough;
}

/// Everything that can go wrong goes wrong before the first byte is written.
void run(const cli::Options& options) {
  const Lesson& lesson = options.lesson;
  torch::Torch planning(lesson.cpu, lesson.dropout_kernel, torch::Torch::Mode::plan);
  const Walkthrough plan = walk(options, planning);
  const std::vector<Step> planned = options.save ? plan.steps() : cli::selected(plan.steps(), options);
  check_fits(planned, planning.planned_draws(), available_memory());

  torch::Torch torch(lesson.cpu, lesson.dropout_kernel, torch::Torch::Mode::compute);
  const Walkthrough walkthrough = walk(options, torch);
  const std::vector<Step> steps = cli::selected(walkthrough.steps(), options);
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

int fail(const std::string& message) {
  std::cerr << "attn-walkthrough: error: " << cli::one_line(message) << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  std::ios::sync_with_stdio(false);
  const cli::Options options = cli::parse(argc, argv);
  if (options.chapter != nullptr) {
    run(options);
  }
  std::cout << options.message;
  flush_output();
  return 0;
} catch (const attn::TooLarge& error) {
  return fail(std::string(error.what()) + "; choose smaller --tokens, --d-in, --batch or --d-out");
} catch (const std::bad_alloc&) {
  return fail("the tensors do not fit into memory; choose smaller --tokens, --d-in, --batch or --d-out");
} catch (const std::exception& error) {
  return fail(error.what());
}
