#include <exception>
#include <iostream>
#include <new>
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

Walkthrough walk(const cli::Options& options, torch::Torch::Mode mode) {
  torch::Torch torch(options.lesson.cpu, options.lesson.dropout_kernel, mode);
  Walkthrough walkthrough;
  options.chapter->run(options.lesson, torch, walkthrough);
  return walkthrough;
}

/// Everything that can go wrong goes wrong before the first byte is written.
void run(const cli::Options& options) {
  const bool saves = options.save.has_value();
  const Walkthrough plan = walk(options, torch::Torch::Mode::plan);
  check_fits(saves ? plan.steps() : cli::selected(plan.steps(), options), available_memory());

  const Walkthrough walkthrough = walk(options, torch::Torch::Mode::compute);
  const std::vector<Step> steps = cli::selected(walkthrough.steps(), options);
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::tensor) {
      step.tensor->array();
    }
  }
  if (saves) {
    render::save(*options.save, walkthrough.steps(), cli::about(options));
  }
  render::write_text(std::cout, steps, options.text);
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
  std::cout << options.message << std::flush;
  return std::cout ? 0 : fail("standard output cannot be written; is the disk full?");
} catch (const attn::TooLarge& error) {
  return fail(std::string(error.what()) + "; choose smaller --tokens, --batch or --d-out");
} catch (const std::bad_alloc&) {
  return fail("the tensors do not fit into memory; choose smaller --tokens, --batch or --d-out");
} catch (const std::exception& error) {
  return fail(error.what());
}
