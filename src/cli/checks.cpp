#include <unistd.h>

#include <array>
#include <filesystem>

#include "cli/option.hpp"
#include "text/lines.hpp"

namespace attn::cli {

namespace {

using chapters::Chapter;
using Words = std::vector<std::string>;

/// Endings of files that hold no text, and that nothing here writes.
constexpr auto other_files =
    std::to_array<std::string_view>({".docx", ".gif", ".jpg", ".pdf", ".png", ".pt", ".pth", ".xlsx"});

std::string ending_of(const std::string& path) { return text::lower(std::filesystem::path(path).extension().string()); }

template <class Table>
auto with_ending(const Table& table, const std::string& ending) {
  const auto found = std::ranges::find_if(table, [&](const auto& one) { return one.ending == ending; });
  return ending.empty() || found == std::end(table) ? nullptr : &*found;
}

/// Returns true for an ending of text, programs or reports, and for what nothing here writes.
bool is_of_no_tensors(const std::string& ending) {
  return with_ending(render::writers(), ending) != nullptr || with_ending(emit::emitters(), ending) != nullptr ||
         with_ending(report_forms, ending) != nullptr || std::ranges::find(other_files, ending) != other_files.end();
}

/// Returns true if the command can write this ending, and chooses its form.
bool is_chosen(Options& options, const std::string& ending) {
  if (options.command == Command::verify) {
    const ReportForm* const report = with_ending(report_forms, ending);
    options.verify.format = report != nullptr ? report->format : options.verify.format;
    return report != nullptr;
  }
  if (const render::Writer* const writer = with_ending(render::writers(), ending)) {
    options.format = writer;
    return true;
  }
  options.emit = with_ending(emit::emitters(), ending);
  options.tensors = options.emit != nullptr ? nullptr : with_ending(render::tensor_writers(), ending);
  return options.emit != nullptr || options.tensors != nullptr;
}

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
void check_need(const std::string& what, unsigned need, const Options& options) {
  if ((need & ~form_of(options).can) != 0) {
    throw UsageError(what + " needs " + forms_with(need) + ", not " + std::string(form_of(options).name) +
                     "; choose one of these");
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

/// Throws UsageError if none of the chapters takes the option.
void check_taken(const Option& option, const std::vector<const Chapter*>& chapters, const std::string& where) {
  const auto takes_it = [&](const Chapter* one) { return option.taken(one->takes); };
  if (option.taken && std::ranges::none_of(chapters, takes_it)) {
    Words names = names_in(chapters, [](const Chapter* one) { return one->name; });
    names.erase(std::unique(names.begin(), names.end()), names.end());
    throw UsageError(std::string(option.name) + " does not apply to " + text::joined(names) + where +
                     "; leave it out, or choose from attn-walkthrough list");
  }
}

}  // namespace

std::vector<const Form*> formats() {
  std::vector<const Form*> forms;
  for (const render::Writer& writer : render::writers()) {
    forms.push_back(&writer);
  }
  for (const render::TensorWriter& writer : render::tensor_writers()) {
    const bool is_text = std::ranges::find(forms, writer.name, &Form::name) != forms.end();
    is_text ? void() : forms.push_back(&writer);
  }
  return forms;
}

void choose_form(Options& options) {
  const std::string ending = ending_of(options.output.value_or(""));
  if (options.given.has("--emit")) {
    const bool is_notebook = ending == ".ipynb" && options.emit->name == "pytorch";
    options.emit = is_notebook ? with_ending(emit::emitters(), ending) : options.emit;
    return;
  }
  const bool is_form = is_of_no_tensors(ending) || with_ending(render::tensor_writers(), ending) != nullptr;
  if (!options.given.has("--format") && !ending.empty() && !is_chosen(options, ending) && is_form) {
    throw UsageError("--output cannot write a " + ending +
                     " file here; see attn-walkthrough help formats; name another file, or add --format text");
  }
}

std::string wrong_ending_to_save(const std::string& path) {
  const std::string ending = ending_of(path);
  return render::tensor_writer(path) != nullptr || !is_of_no_tensors(ending)
             ? ""
             : "it cannot write a " + ending +
                   " file; use .npz, .safetensors, .npy or .csv for one tensor, or a folder for .npy files; try "
                   "--save steps.npz";
}

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
  const bool is_walk = options.command == Command::walk;
  const bool is_several = options.name == "all" || options.name == "tour";
  is_several ? check_need(options.name, can::several, options) : void();
  const std::vector<GivenOption> given = options.given.last();
  for (const auto& [option, value] : given) {
    check_clashes(*option, given);
    check_need(std::string(option->name), option->needs, options);
    if (option->check != nullptr) {
      option->check(options);
    }
  }
  const std::vector<const Chapter*> meant = chapters_meant(options);
  for (const auto& [option, value] : given) {
    check_taken(*option, meant, is_walk ? " of " + std::string(meant[0]->article->name) : "");
  }
}

void check_terminal(const Options& options) {
  const bool is_verify = options.command == Command::verify;
  const bool is_page = is_verify ? options.verify.format == ReportFormat::html : options.format->name == "html";
  if ((is_page || options.tensors != nullptr) && !options.given.has("--output") && isatty(STDOUT_FILENO) != 0) {
    const std::string& form = *options.given.value_of("--format");
    throw UsageError("--format " + form +
                     ": a terminal cannot show it; write to a file or a pipe, or use --output -; try "
                     "--output " +
                     (is_verify ? "report" : options.name) + "." + form);
  }
}

void check_live(const Options&) {
  if (!render::has_live_program()) {
    throw UsageError(
        "--live: this build lacks the program for browsers; use a released package, or build with -DATTN_LIVE=ON");
  }
}

void check_exercises(const Options& options) {
  if (options.output && options.emit == nullptr && options.format == &render::default_writer()) {
    throw UsageError(
        "--predict asks on the terminal or in a pipe; a file needs --format markdown or --emit notebook; try --output "
        "exercises.md");
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
  if (options.given.has("--tokenizer") && !options.lesson.sentence) {
    throw UsageError("--tokenizer needs --sentence, whose words it has; add --sentence \"Your journey starts\"");
  }
  const bool is_whole = options.given.has("--layer") && options.given.has("--weights");
  if (options.command == Command::verify && !is_whole) {
    throw UsageError(
        "--layer, --config and --tokenizer need --weights and --layer; add --weights model.safetensors --layer 0");
  }
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

}  // namespace attn::cli
