#include "cli/port.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/compute.hpp"
#include "cli/names.hpp"
#include "cli/outputs.hpp"
#include "dump/read.hpp"
#include "inputs.hpp"
#include "port/report.hpp"
#include "render/json.hpp"
#include "tensor/blas_kernels.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

/// A dump, and what became of it. The report points into the rest.
struct Compared {
  std::vector<dump::Dumped> dumped;
  port::Report report;
};

/// The chapter that the dump is of: as the article has it that is asked for, or else the first that has it.
const chapters::Chapter& chapter_of(const VerifyOptions& verify) {
  if (!verify.chapter) {
    throw UsageError("verify of a dump needs the chapter that it is of; accepted is --chapter NAME, with the lesson's options; "
                     "try --chapter causal");
  }
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    if (chapter.name == *verify.chapter && (verify.article == nullptr || chapter.article == verify.article)) {
      return chapter;
    }
  }
  throw UsageError("--chapter: there is no chapter '" + *verify.chapter + "'; see attn-walkthrough list");
}

Lesson lesson_of(const VerifyOptions& verify, const chapters::Chapter& chapter) {
  Lesson lesson = verify.lesson;
  lesson.kernels = {verify.cpu.value_or(chapter.article->cpu), verify.blas.value_or(runnable(Blas::haswell))};
  lesson.dropout_kernel = verify.dropout_kernel.value_or(DropoutKernel::standard);
  return lesson;
}

std::string words_of(const chapters::Chapter& chapter, const Lesson& lesson) {
  return std::string(chapter.name) + " of " + std::string(chapter.article->name) + ", seed " + lesson.seed.text() + ", " +
         (lesson.inputs ? "inputs " + text::one_line(lesson.inputs->source) + ", " : "") +
         (lesson.weights ? "weights " + text::one_line(lesson.weights->source) + ", " : "") +
         name_of(cpu_names(), lesson.kernels.cpu) + " kernels, " + name_of(dropout_kernel_names(), lesson.dropout_kernel) +
         " dropout kernel";
}

/// The same lesson with what is drawn drawn otherwise.
std::vector<port::Variant> variants_of(const chapters::Chapter& chapter, const Lesson& lesson, const Options& options) {
  std::vector<port::Variant> variants;
  const auto add = [&](const std::string& name, const std::string& sentence, const auto& change) {
    Lesson other = lesson;
    change(other);
    try {
      variants.push_back({name, sentence, computed(chapter, other, options).steps()});
    } catch (const LessonError&) {  // not a lesson of this chapter
    }
  };
  const auto own = static_cast<std::uint64_t>(lesson.seed);
  for (const std::uint64_t seed : {own - 1, own + 1, std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{42}}) {
    add("seed", "drawn with seed " + torch::Seed(seed).text(), [&](Lesson& other) { other.seed = seed; });
  }
  for (const auto& [name, init] : init_names()) {
    add("init", "drawn as with --init " + name, [init = init](Lesson& other) { other.init = init; });
  }
  for (const auto& [name, kernel] : dropout_kernel_names()) {
    add("dropout-kernel", "drawn by the " + name + " dropout kernel", [kernel = kernel](Lesson& other) { other.dropout_kernel = kernel; });
  }
  return variants;
}

void compare(Compared& compared, const chapters::Chapter& chapter, const Lesson& lesson, const Walkthrough& walk,
             const std::string& file, const Options& options) {
  const port::Tolerance usual;
  const port::Tolerance tolerance{options.verify.rtol.value_or(usual.rtol), options.verify.atol.value_or(usual.atol)};
  const std::vector<Step>& steps = walk.steps();
  compared.dumped = dump::read(file);
  const port::Matching matching = port::match(compared.dumped, steps, options.verify.names, tolerance);
  if (matching.steps.empty()) {
    throw UsageError("'" + file + "' has no tensor that is a step of " + std::string(chapter.name) +
                     "; accepted are tensors by a step's name or with its numbers; try --map THEIRS=STEP");
  }
  const port::Otherwise otherwise = {walk.draws(), [&] { return variants_of(chapter, lesson, options); }};
  compared.report = {text::one_line(file), words_of(chapter, lesson),
                     port::judge(matching, steps, tolerance, otherwise), matching.unmatched,
                     chapters::token_words(*chapter.article, lesson)};
}

}  // namespace

bool is_about_dumps(const Options& options) {
  const VerifyOptions& verify = options.verify;
  const auto is_dump = [](const std::string& file) { return file != "-" && dump::is_dump(file); };
  const auto dumps = std::ranges::count_if(verify.files, is_dump);
  if (dumps == 0) {
    for (const auto& [name, is_given] : {std::pair{"--rtol", verify.rtol.has_value()}, {"--atol", verify.atol.has_value()}, {"--map", !verify.names.empty()}}) {
      if (is_given) {
        throw UsageError(std::string(name) + " with a page: printed numbers are known to half a unit of their last digit; accepted "
                         "with a folder, .npy, .npz, .safetensors or .csv file of tensors; leave " + name + " out");
      }
    }
    return false;
  }
  if (dumps != std::ssize(verify.files)) {
    throw UsageError("verify reads pages or dumps of tensors, not both at once; accepted are files of one kind; verify '" +
                     *std::ranges::find_if(verify.files, is_dump) + "' alone");
  }
  if (verify.format == ReportFormat::html) {
    throw UsageError("--format html with a dump: there is no text to tint; accepted with a dump are --format text, json; leave "
                     "--format html out");
  }
  return true;
}

int verify_dumps(const Options& options) {
  const Outputs outputs(options);
  const chapters::Chapter& chapter = chapter_of(options.verify);
  const Lesson lesson = lesson_of(options.verify, chapter);
  Options all = options;  // whose memory is counted for all steps
  all.all_steps = true;
  const Walkthrough walk = computed(chapter, lesson, all);
  std::deque<Compared> dumps;
  int code = 0;
  for (const std::string& file : options.verify.files) {
    Compared& compared = dumps.emplace_back();
    compare(compared, chapter, lesson, walk, file, options);
    code = std::max(code, port::exit_code(compared.report, options.verify.strict));
  }
  outputs.write({}, [&](std::ostream& out) {
    if (options.verify.format == ReportFormat::text) {
      for (const Compared& compared : dumps) {
        out << (dumps.size() > 1 ? compared.report.name + "\n" : "");
        port::write_text(out, compared.report);
      }
      return;
    }
    const auto write_one = [&](std::size_t i, const std::string& line_break) {
      port::write_json(out, dumps[i].report, line_break);
    };
    if (dumps.size() == 1) {
      write_one(0, "\n");
    } else {
      render::write_list(out, dumps.size(), "\n", write_one);
    }
    out << '\n';
  });
  return code;
}

}  // namespace attn::cli
