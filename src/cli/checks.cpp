#include "cli/option_rows.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "cli/line.hpp"
#include "cli/options.hpp"
#include "render/page/live.hpp"
#include "text/lines.hpp"
#include "torch/torch.hpp"

namespace attn::cli {

namespace {

using chapters::Chapter;
using Words = std::vector<std::string>;

/// What a form lacks that cannot do something.
struct Lack {
  unsigned bit;
  std::string_view words;
};

constexpr Lack lacks[] = {{can::sentences, "has no sentences"},
                          {can::colours, "has no colours"},
                          {can::derivations, "shows no derivation"},
                          {can::comparisons, "shows no comparison"},
                          {can::questions, "shows the numbers to ask for"},
                          {can::slides, "is no page"},
                          {can::several, "shows one tensor"},
                          {can::draws, "shows no draws"}};

/// "--format text, markdown, html": the forms that can do it.
std::string forms_with(unsigned bit) {
  const auto names = [bit](const auto& table) {
    Words result;
    for (const Form& form : table) {
      (form.can & bit) != 0 ? void(result.emplace_back(form.name)) : void();
    }
    return result;
  };
  const Words programs = names(emit::emitters());
  return "--format " + text::joined(names(render::writers())) +
         (programs.empty() ? "" : ", or --emit " + text::joined(programs));
}

/// Refuses `what` if the form of output cannot do what it needs.
void check_need(const std::string& what, unsigned needs, const Options& options) {
  for (const Lack& lack : lacks) {
    if ((needs & lack.bit & ~form_of(options).can) != 0) {
      throw UsageError(what + " needs " + forms_with(lack.bit) + ": " + std::string(form_of(options).name) + " " +
                       std::string(lack.words) + "; add one of these");
    }
  }
}

bool is_default(const GivenOption& given) {
  return (given.option->name == "--format" && given.value == render::default_writer().name) ||
         (given.option->name == "--output" && given.value == "-");
}

/// Refuses what would give something other than was asked.
void check_clashes(const Option& option, std::span<const GivenOption> given) {
  for (const Clash& clash : option.clashes) {
    for (const GivenOption& other : given) {
      if (std::ranges::find(clash.others, other.option->name) != clash.others.end() && !is_default(other)) {
        throw UsageError(std::string(option.name) + " cannot be combined with " + std::string(other.option->name) +
                         ": " + std::string(clash.why) + "; leave one of them out");
      }
    }
  }
}

/// The articles (for verify, the chapters) that take the option.
Words where_taken(const Option& option, const Options& options) {
  Words names;
  for (const Chapter& chapter : chapters::all_chapters()) {
    const bool is_verify = options.command == Command::verify;
    const bool fits = is_verify ? options.verify.article == nullptr || options.verify.article == chapter.article
                                : options.name == "all" || chapter.name == options.name;
    const std::string name(is_verify ? chapter.name : chapter.article->name);
    if (fits && option.taken(chapter.takes) && std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

bool is_taken(const Option& option, const std::vector<const Chapter*>& chapters) {
  return !option.taken || std::ranges::any_of(chapters, [&](const Chapter* one) { return option.taken(one->takes); });
}

[[noreturn]] void refuse_untaken(const Option& option, const std::string& here, const Options& options) {
  const Words others = where_taken(option, options);
  throw UsageError(std::string(option.name) + " does not apply to " + here + "; it applies " +
                   (others.empty() ? "with other articles"
                                   : (options.command == Command::verify ? "with --chapter " : "with --article ") +
                                         text::joined(others)) +
                   "; leave it out, or choose another");
}

/// Throws UsageError if no chapter takes the option.
void check_taken(const Option& option, const Options& options) {
  const std::vector<const Chapter*> meant = chapters_meant(options);
  if (is_taken(option, meant)) {
    return;
  }
  const bool is_verify = options.command == Command::verify;
  const std::string article(meant.at(0)->article->name);
  const std::string here = !is_verify ? options.name + " of " + article
                           : options.verify.chapter
                               ? *options.verify.chapter + (options.verify.article != nullptr ? " of " + article : "")
                               : article;
  refuse_untaken(option, here, options);
}

}  // namespace

const Form& form_of(const Options& options) {
  return options.emit != nullptr      ? static_cast<const Form&>(*options.emit)
         : options.tensors != nullptr ? static_cast<const Form&>(*options.tensors)
                                      : *options.format;
}

std::vector<const Chapter*> chapters_meant(const Options& options) {
  if (options.command != Command::verify) {
    return options.chapters;
  }
  std::vector<const Chapter*> meant;
  for (const Chapter& chapter : chapters::all_chapters()) {
    if ((options.verify.article == nullptr || chapter.article == options.verify.article) &&
        (!options.verify.chapter || chapter.name == *options.verify.chapter)) {
      meant.push_back(&chapter);
    }
  }
  return meant;
}

void check_together(const Options& options) {
  const bool is_several = options.command == Command::walk && (options.name == "all" || options.name == "tour");
  is_several ? check_need(options.name, can::several, options) : void();
  const std::vector<GivenOption> given = options.given.last();
  for (const auto& [option, value] : given) {
    check_clashes(*option, given);
    check_need(std::string(option->name), option->needs, options);
    if (option->check != nullptr) {
      option->check(options);
    }
  }
  for (const auto& [option, value] : given) {
    check_taken(*option, options);
  }
}

void check_terminal(const Options& options) {
  const bool is_verify = options.command == Command::verify;
  if (options.tensors != nullptr && !options.output && isatty(STDOUT_FILENO) != 0) {
    const std::string name(options.tensors->name);
    throw UsageError("--format " + name + ": a terminal shows no file of tensors; try --output steps." + name);
  }
  const bool is_page = is_verify ? options.verify.format == ReportFormat::html : options.format->name == "html";
  if (is_page && !options.given.has("--output") && isatty(STDOUT_FILENO) != 0) {
    const std::string name = is_verify               ? "report"
                             : options.name == "all" ? std::string(options.chapters.at(0)->article->name)
                                                     : options.name;
    throw UsageError(
        "--format html: a page is for a browser, but standard output is a terminal; write to a file or a pipe, or use "
        "--output -; try --output " +
        name + ".html");
  }
}

void check_live(const Options&) {
  if (!render::has_live_program()) {
    throw UsageError(
        "--live: this build lacks the program for browsers; use a released package, or build with "
        "-DATTN_LIVE=ON; leave --live out for a page without settings");
  }
}

void check_exercises(const Options& options) {
  if (options.output && options.emit == nullptr && options.format == &render::default_writer()) {
    throw UsageError(
        "--predict asks on the terminal or in a pipe; a file needs --format markdown or --emit notebook; try --output "
        "exercises.md");
  }
}

void check_sizes(const Options& options) {
  if (options.given.has("--d-out-kq") && options.given.has("--d-out-v")) {
    throw UsageError(
        "--d-out cannot be combined with both --d-out-kq and --d-out-v, which set all sizes; leave one of them out");
  }
}

void check_bias(const Options& options) {
  const bool is_usual_linear =
      options.lesson.fixture || options.chapters.empty() || options.chapters[0]->init == Init::linear;
  if (options.lesson.init ? *options.lesson.init != Init::linear : !is_usual_linear) {
    throw UsageError("--qkv-bias needs weights from nn.Linear; add --init linear, or leave --qkv-bias out");
  }
}

void check_layer(const Options& options) {
  if (options.command != Command::verify) {
    return;
  }
  if (!options.given.has("--layer")) {
    throw UsageError(std::string(options.given.has("--config") ? "--config" : "--tokenizer") +
                     " needs --layer, the checkpoint's layer that it belongs to; add --weights and --layer 0");
  }
  if (!options.given.has("--weights")) {
    throw UsageError("--layer needs --weights: the checkpoint that has the layer; add --weights model.safetensors");
  }
}

void check_tokenizer(const Options& options) {
  if (!options.lesson.sentence) {
    throw UsageError("--tokenizer needs --sentence, whose words it has; add --sentence \"Your journey starts\"");
  }
  check_layer(options);
}

void check_chapter(const Options& options) {
  if (!chapters_meant(options).empty()) {
    return;
  }
  Options any = options;
  any.verify.chapter.reset();
  const std::string& name = *options.verify.chapter;
  throw unknown("--chapter: unknown chapter '" + name + "' here", name,
                names_in(chapters_meant(any), [](const Chapter* one) { return one->name; }), "attn-walkthrough list");
}

void check_used(const Options& options, const std::vector<const Chapter*>& chapters) {
  for (const auto& [option, value] : options.given) {
    if (!chapters.empty() && !is_taken(*option, chapters)) {
      Words names;
      std::ranges::transform(chapters, std::back_inserter(names),
                             [](const Chapter* one) { return std::string(one->name); });
      names.erase(std::unique(names.begin(), names.end()), names.end());
      refuse_untaken(*option, text::joined(names) + ", which the page shows", options);
    }
  }
}

void check_query(const Options& options) {
  const VerifyOptions& verify = options.verify;
  if (!verify.lesson.query) {
    return;
  }
  Lesson inputs;  // the settings that determine which tokens there are
  inputs.query = verify.lesson.query;
  inputs.tokens = verify.lesson.tokens;
  inputs.d_in = verify.lesson.d_in;
  inputs.sentence = verify.lesson.sentence;
  inputs.inputs = verify.lesson.inputs;
  std::optional<LessonError> error;
  for (const Chapter* chapter : chapters_meant(options)) {
    if (!chapter->takes.query) {
      continue;
    }
    try {
      torch::Torch torch(inputs.kernels, inputs.dropout_kernel, torch::Torch::Mode::plan);
      chapters::walk(*chapter, inputs, torch);
      return;
    } catch (const LessonError& found) {
      error = error ? error : found;
    }
  }
  if (error) {
    throw LessonError(*error);
  }
}

}  // namespace attn::cli
