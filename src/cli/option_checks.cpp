#include "cli/option_checks.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include <unistd.h>

#include "cli/option_rows.hpp"
#include "cli/usage_error.hpp"
#include "render/page/live.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"
#include "torch/torch.hpp"

namespace attn::cli {
namespace {

using chapters::Chapter;
using Words = std::vector<std::string>;

/// Returns true if the value is the option's default.
bool is_usual(std::string_view option, std::string_view value) {
  return (option == "--format" && value == render::default_writer().name) || (option == "--output" && value == "-") ||
         (option == "--color" && value == "auto");
}

/// An option, alone or with one of its values: "--format json".
struct Use {
  std::string_view option;
  std::string_view value;
};

Use use_of(std::string_view text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  return {text.substr(0, space), text.substr(std::min(space + 1, text.size()))};
}

bool is_asked_for(std::string_view text, const Given& given) {
  const Use use = use_of(text);
  const auto found = given.find(use.option);
  return found != given.end() &&
         (use.value.empty() ? !is_usual(use.option, found->second.back()) : found->second.back() == use.value);
}

/// Refuses what would give something other than was asked.
void check_clashes(const Option& option, const Given& given) {
  for (const Clash& clash : option.clashes) {
    const std::string use = std::string(option.name) + (clash.value.empty() ? "" : " " + std::string(clash.value));
    for (const std::string_view other : clash.others) {
      if (is_asked_for(use, given) && is_asked_for(other, given)) {
        throw UsageError(use + " cannot be combined with " + std::string(other) + ": " + std::string(clash.why) + "; " +
                         std::string(clash.instead));
      }
    }
  }
}

void check_need(const Subcommand& command, const Option& option, const Given& given) {
  const Need& need = option.need;
  const auto is_there = [&given](std::string_view other) { return is_asked_for(other, given); };
  if (need.others.empty() || !is_asked_for(option.name, given) || std::ranges::any_of(need.others, is_there)) {
    return;
  }
  Words accepted(need.others.begin(), need.others.end());
  std::erase_if(accepted,
                [&command](const std::string& other) { return find_option(command, use_of(other).option) == nullptr; });
  throw UsageError(std::string(option.name) + " needs " + text::joined(accepted, " or ") + ": it " +
                   std::string(need.why) + "; " + std::string(need.instead));
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

void check_together(const Subcommand& command, const Options& options, const Given& given) {
  std::vector<const Option*> asked = options_of(command);
  std::erase_if(asked, [&given](const Option* option) { return !given.contains(option->name); });
  for (const Option* option : asked) {
    check_need(command, *option, given);
  }
  for (const Option* option : asked) {
    check_clashes(*option, given);
  }
  for (const Option* option : asked) {
    if (option->check != nullptr) {
      option->check(options, given);
    }
    check_taken(*option, options);
  }
}

void check_terminal(const Options& options, const Given& given) {
  if (is_asked_for("--format html", given) && !given.contains("--output") && isatty(STDOUT_FILENO) != 0) {
    const std::string name = options.command == Command::verify ? "report"
                             : options.name == "all"            ? std::string(options.chapters.at(0)->article->name)
                                                                : options.name;
    throw UsageError(
        "--format html: a page is for a browser, but standard output is a terminal; write to a file or a pipe, or use "
        "--output -; try --output " +
        name + ".html");
  }
}

void check_live(const Options&, const Given&) {
  if (!render::has_live_program()) {
    throw UsageError(
        "--live: this build lacks the program for browsers; use a released package, or build with "
        "-DATTN_LIVE=ON; leave --live out for a page without settings");
  }
}

void check_exercises(const Options& options, const Given& given) {
  if (is_asked_for("--output", given) && options.emit == nullptr && options.format == &render::default_writer()) {
    throw UsageError(
        "--predict cannot be combined with --output: questions and answers use the terminal or a pipe; a file may be a "
        "handout, with --format markdown or --emit notebook; try --output exercises.md");
  }
}

void check_sizes(const Options&, const Given& given) {
  if (given.contains("--d-out-kq") && given.contains("--d-out-v")) {
    throw UsageError(
        "--d-out cannot be combined with both --d-out-kq and --d-out-v: these two already set both sizes; use --d-out "
        "with one of them; leave --d-out out");
  }
}

void check_drawn(const Options& options, const Given& given) {
  const std::vector<const Chapter*> meant = chapters_meant(options);
  const auto is_random = [](const Chapter* one) { return !one->takes.projections || one->name == "dropout"; };
  if (given.contains("--seed") && !given.contains("--dropout") && std::ranges::none_of(meant, is_random)) {
    throw UsageError(
        "--seed has no effect with --attend-to here: inputs and weights are not random, and nothing is dropped; it has "
        "one with dropout; add --dropout 0.2 where a chapter takes it, or leave --seed out");
  }
}

void check_bias(const Options& options, const Given&) {
  const bool is_usual_linear =
      options.lesson.fixture || options.chapters.empty() || options.chapters[0]->init == Init::linear;
  if (options.lesson.init ? *options.lesson.init != Init::linear : !is_usual_linear) {
    throw UsageError("--qkv-bias needs weights from nn.Linear; add --init linear, or leave --qkv-bias out");
  }
}

void check_layer(const Options& options, const Given& given) {
  if (options.command != Command::verify) {
    return;
  }
  if (!given.contains("--layer")) {
    const bool is_config = given.contains("--config");
    throw UsageError(std::string(is_config
                                     ? "--config needs --layer: it has the settings of a checkpoint's layers"
                                     : "--tokenizer needs --layer: it has the vocabulary of a checkpoint's model") +
                     "; use it with --weights and --layer; add --layer 0");
  }
  if (!given.contains("--weights")) {
    throw UsageError(
        "--layer needs --weights: the checkpoint that has the layer; use both; add --weights model.safetensors");
  }
}

void check_chapter(const Options& options, const Given&) {
  if (!chapters_meant(options).empty()) {
    return;
  }
  Options any = options;
  any.verify.chapter.reset();
  Words names;
  for (const Chapter* chapter : chapters_meant(any)) {
    if (std::ranges::find(names, chapter->name) == names.end()) {
      names.emplace_back(chapter->name);
    }
  }
  const std::string& name = *options.verify.chapter;
  const std::string near = text::nearest(name, names);
  throw UsageError("--chapter: unknown chapter '" + name + "' here; choose from " + text::joined(names) +
                   (near.empty() ? "; see attn-walkthrough list" : "; try --chapter " + near));
}

void check_used(const Options& options, const std::vector<const Chapter*>& chapters) {
  const auto verify = std::ranges::find(subcommands(), Command::verify, &Subcommand::command);
  for (const std::string& name : options.verify.given) {
    const Option* const option = find_option(*verify, name);
    if (option != nullptr && !chapters.empty() && !is_taken(*option, chapters)) {
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
