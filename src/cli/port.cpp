#include <fnmatch.h>

#include <set>
#include <system_error>

#include "chapters/inputs.hpp"
#include "cli/compute.hpp"
#include "cli/option.hpp"
#include "cli/verify.hpp"
#include "files/file.hpp"
#include "files/read/read.hpp"
#include "tensor/blas.hpp"
#include "text/lines.hpp"
#include "verify/page/page.hpp"
#include "verify/port/judge.hpp"
#include "verify/port/report.hpp"
#include "verify/port/right.hpp"
#include "walk/names.hpp"

namespace attn::cli {
namespace {

/// The chapter to compare with: in the given article, or else in the first that has it.
const chapters::Chapter& chapter_of(const Options& options) {
  if (options.verify.lesson.layer) {
    return *options.chapters.front();
  }
  if (!options.verify.chapter) {
    throw UsageError(
        "verify needs the chapter of these tensors; give --chapter NAME, with the lesson's options, or --layer N of a "
        "checkpoint; try --chapter causal");
  }
  return *chapters_meant(options).front();
}

Lesson lesson_of(const VerifyOptions& verify, const chapters::Chapter& chapter) {
  Lesson lesson = verify.lesson;
  lesson.kernels = {verify.cpu.value_or(chapter.article->cpu), verify.blas.value_or(runnable(Blas::haswell))};
  lesson.dropout_kernel = verify.dropout_kernel.value_or(DropoutKernel::standard);
  return lesson;
}

std::string words_of(const chapters::Chapter& chapter, const Lesson& lesson) {
  const std::string weights = lesson.layer ? lesson.layer->source : lesson.weights ? lesson.weights->source : "";
  return (lesson.layer ? "layer " + std::to_string(lesson.layer->number) + " of " + std::string(chapter.article->title)
                       : std::string(chapter.name) + " of " + std::string(chapter.article->name) + ", seed " +
                             lesson.seed.value_or(default_seed).text()) +
         (weights.empty() ? "" : ", weights " + text::one_line(weights)) +
         (lesson.inputs ? ", inputs " + text::one_line(lesson.inputs->source) : "") +
         (lesson.attend_to ? ", attending to " + name_of(attend_to_names(), *lesson.attend_to) : "") + ", " +
         name_of(cpu_names(), lesson.kernels.cpu) + " kernels, " +
         name_of(dropout_kernel_names(), lesson.dropout_kernel) + " dropout kernel";
}

/// Returns true if the name matches a pattern with * and ?.
bool is_like(const std::string& name, const std::string& pattern) {
  return fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

/// A tensor with more numbers cannot be of these steps: it is large, and has more than all of them together.
std::int64_t most_of_steps(std::span<const Step> steps) {
  constexpr std::int64_t few = 1'000'000;
  std::int64_t all = 0;
  for (const Step& step : steps) {
    all += step.tensor ? element_count(step.tensor->shape()) : 0;
  }
  return std::max(few, all);
}

/// A dump's tensors; the first `judged` of them may be steps, the others are too large.
struct ReadTensors {
  std::vector<verify::Observed> tensors;
  std::size_t judged = 0;
};

/// The tensors that a text shows.
struct Log {
  std::vector<files::Dumped> tensors;
  double radius = 0;  ///< the most by which a number is rounded
};

/// What a text shows as "keys = [[0.1, 0.2]]", each name once; none if it shows anything else, as a page does, is
/// large, or a pipe, which can be read once alone.
Log log_of(const std::string& file) try {
  constexpr std::size_t most_bytes = 1U << 26U;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown) || files::is_dump(file)) {
    return {};
  }
  Log log;
  const verify::Page page = verify::read_page(file, [](std::size_t bytes) {
    if (bytes > most_bytes) {
      throw verify::PageError("too large for a log");
    }
  });
  for (const verify::Printed& printed : verify::find_printed(page)) {
    const auto shown = verify::shown_of(printed);
    const std::string name(printed.label);
    const bool is_new = std::ranges::find(log.tensors, name, &files::Dumped::name) == log.tensors.end();
    const std::size_t begin = static_cast<std::size_t>(printed.text.data() - page.text().data());
    const bool is_assigned = begin > name.size() && page.text().substr(0, begin).ends_with(name + " = ");
    if (!shown || shown->has_gap() || !is_new || !is_assigned || !verify::is_path(name)) {
      return {};
    }
    for (std::size_t i = 0; i < shown->size(); ++i) {
      log.radius = std::max(log.radius, shown->unit(i) / 2);
    }
    log.tensors.push_back({name, shown->shape, printed.is_bool ? "bool" : "float32", shown->values});
  }
  return log;
} catch (const verify::PageError&) {
  return {};
}

/// Reads the wanted tensors of a dump, or of a log.
std::vector<files::Dumped> tensors_in(const std::string& file, const Log& log, const files::Wanted& wanted) {
  std::vector<files::Dumped> tensors = log.tensors.empty() ? files::read(file, wanted) : log.tensors;
  std::erase_if(tensors, [&](const files::Dumped& one) {
    return !log.tensors.empty() && !wanted({one.name, one.shape, one.dtype});
  });
  return tensors;
}

/// The tensors of a dump except those that --ignore leaves out, whose names go to `ignored`. Reads no numbers of those
/// that are too large. Throws UsageError if a pattern matches nothing.
ReadTensors read_but_ignored(const std::string& file, const Log& log, const VerifyOptions& verify,
                             std::span<const Step> steps, std::vector<std::string>& ignored) {
  std::vector<std::string> names;
  std::vector<verify::Observed> unread;
  const std::int64_t most = most_of_steps(steps);
  std::vector<files::Dumped> read = tensors_in(file, log, [&](const files::Heading& one) {
    names.push_back(one.name);
    const bool is_ignored =
        std::ranges::any_of(verify.ignored, [&](const std::string& pattern) { return is_like(one.name, pattern); });
    const bool is_read = verify.names.contains(one.name) || element_count(one.shape) <= most;
    if (is_ignored) {
      ignored.push_back(one.name);
    } else if (!is_read) {
      unread.push_back({one.name, one.shape, one.dtype, {}});
    }
    return !is_ignored && is_read;
  });
  std::vector<verify::Observed> given;
  for (files::Dumped& one : read) {
    given.push_back({std::move(one.name), std::move(one.shape), std::move(one.dtype), std::move(one.values)});
  }
  const std::size_t judged = given.size();
  std::ranges::move(unread, std::back_inserter(given));
  for (const std::string& pattern : verify.ignored) {
    if (std::ranges::none_of(names, [&](const std::string& name) { return is_like(name, pattern); })) {
      throw UsageError("--ignore: '" + pattern + "' matches no tensor of '" + file +
                       "'; give names of its tensors, with * for any characters, such as " + names[0] +
                       "; leave it out");
    }
  }
  return {std::move(given), judged};
}

bool is_parameter(const Tensor& tensor) { return tensor.operation().is_parameter() || verify::is_weight(tensor); }

bool is_input(const Step& step) { return step.name == "inputs" || step.name == "batch"; }

/// Takes the dump's tensors that are the lesson's inputs and weights out of those that are judged: to compare them with
/// themselves proves nothing.
void take_used(verify::PortReport& report, const Lesson& lesson) {
  const auto is_here = [&](const auto& given) { return given && given->source.find(report.file) != std::string::npos; };
  std::set<std::size_t> inputs;
  std::set<std::size_t> weights;
  const auto is_used = [&](const verify::Judged& judged) {
    const bool is_weight = is_parameter(*judged.matched.step->tensor) && is_here(lesson.weights);
    const bool is_one = judged.verdict == verify::PortVerdict::right &&
                        (is_weight || (is_input(*judged.matched.step) && is_here(lesson.inputs)));
    is_one ? void((is_weight ? weights : inputs).insert(judged.matched.given)) : void();
    return is_one;
  };
  std::erase_if(report.judgement.tensors, is_used);
  std::ranges::transform(inputs, std::back_inserter(report.used),
                         [&](std::size_t given) { return report.given[given].name; });
  if (!weights.empty()) {
    report.used.push_back(std::to_string(weights.size()) + (weights.size() == 1 ? " weight" : " weights"));
  }
}

/// Whether the step's tensor is another one than the lesson's, and by no known mistake.
bool is_own(const verify::Judged& judged) {
  return judged.verdict == verify::PortVerdict::shape ||
         (judged.verdict == verify::PortVerdict::wrong && judged.causes.empty());
}

/// The lesson with the dump's own inputs and weights, if it holds both, and none is the lesson's; else none.
std::optional<Lesson> own_lesson(const verify::PortReport& report, const Lesson& lesson) {
  if (lesson.layer || lesson.inputs || lesson.weights) {
    return std::nullopt;
  }
  const verify::Observed* inputs = nullptr;
  for (const verify::Judged& judged : report.judgement.tensors) {
    const Step& step = *judged.matched.step;
    if ((is_input(step) || is_parameter(*step.tensor)) && !is_own(judged)) {
      return std::nullopt;
    }
    inputs = is_input(step) ? judged.matched.theirs : inputs;
  }
  std::vector<std::string> notes;
  Lesson own = lesson;
  try {
    own.weights = read_weights(report.file, notes);
    if (inputs != nullptr) {
      own.inputs = read_inputs("--inputs", report.file + ":" + inputs->name, "inputs");
    }
  } catch (const UsageError&) {
  }
  std::set<std::string> projections;
  own.qkv_bias = false;
  for (const GivenTensor& one : own.weights ? own.weights->tensors : std::vector<GivenTensor>()) {
    const bool is_bias = one.name.ends_with("_bias");
    own.qkv_bias = own.qkv_bias || (is_bias && one.name.find("W_") != std::string::npos);
    one.name.find("W_") != std::string::npos && !is_bias ? void(projections.insert(one.name)) : void();
  }
  return own.inputs && projections.size() >= 3 ? std::optional(std::move(own)) : std::nullopt;
}

verify::PortReport compared(const chapters::Chapter& chapter, const Lesson& lesson, const Walkthrough& walk,
                            const std::string& file, const Options& options) {
  const VerifyOptions& verify = options.verify;
  const verify::Tolerance usual;
  const Log log = log_of(file);
  const verify::Tolerance tolerance{verify.rtol.value_or(usual.rtol),
                                    verify.atol.value_or(std::max(usual.atol, log.radius)),
                                    !verify.rtol && !verify.atol};
  verify::PortReport report{
      text::one_line(file), words_of(chapter, lesson), {}, {}, {}, {}, chapters::token_words(*chapter.article, lesson)};
  report.file = file;
  report.lists_right = !verify.only_wrong;
  if (!lesson.fixture && !lesson.layer) {
    report.unseen = verify::unseen_in(walk.steps());
  }
  ReadTensors given = read_but_ignored(file, log, verify, walk.steps(), report.ignored);
  report.given = std::move(given.tensors);
  const auto judged = std::span(report.given).first(given.judged);
  report.judgement = verify::judge(judged, walk.steps(), verify.names, tolerance, walk.draws());
  if (report.judgement.seed) {
    Lesson other = lesson;
    other.seed = *report.judgement.seed;
    verify::PortReport with_seed = compared(chapter, other, computed(chapter, other, options), file, options);
    with_seed.drawn_with = other.seed;
    return with_seed;
  }
  take_used(report, lesson);
  if (const std::optional<Lesson> own = own_lesson(report, lesson)) {
    try {
      verify::PortReport with_own = compared(chapter, *own, computed(chapter, *own, options), file, options);
      if (with_own.used.size() > 1) {
        return with_own;
      }
    } catch (const LessonError&) {  // the dump's own are not of this chapter
    }
  }
  for (std::size_t i = judged.size(); i < report.given.size(); ++i) {
    report.judgement.matching.unmatched.push_back(i);
  }
  return report;
}

}  // namespace

bool is_about_dumps(const Options& options) {
  const VerifyOptions& verify = options.verify;
  const auto is_dump = [&verify](const std::string& file) {
    const bool is_of_tensors = file != "-" && files::is_dump(file) && !is_folder_of_pages(file, verify);
    return is_of_tensors || (verify.chapter && file != "-" && !log_of(file).tensors.empty());
  };
  const auto dumps = std::ranges::count_if(verify.files, is_dump);
  if (dumps == 0) {
    for (const std::string name : {"--rtol", "--atol", "--map", "--layer", "--only", "--ignore"}) {
      if (options.given.has(name)) {
        throw UsageError(name + " is for a port's tensors (see help ports), not for a page; leave " + name + " out");
      }
    }
    return false;
  }
  if (dumps != std::ssize(verify.files)) {
    throw UsageError("verify checks pages or tensors, not both at once; give files of one kind; verify '" +
                     *std::ranges::find_if(verify.files, is_dump) + "' alone");
  }
  return true;
}

int verify_dumps(const Options& options) {
  const Outputs outputs(options);
  const chapters::Chapter& chapter = chapter_of(options);
  const Lesson lesson = lesson_of(options.verify, chapter);
  Options all = options;  // whose memory is counted for all steps
  all.all_steps = true;
  const Walkthrough walk = computed(chapter, lesson, all);
  std::vector<verify::PortReport> dumps;
  dumps.reserve(options.verify.files.size());
  int code = 0;
  for (const std::string& file : options.verify.files) {
    dumps.push_back(compared(chapter, lesson, walk, file, all));
    code = std::max(code, verify::exit_code(dumps.back()));
  }
  outputs.write({}, [&](std::ostream& out) { write_reports(out, dumps, options.verify); });
  return code;
}

}  // namespace attn::cli
