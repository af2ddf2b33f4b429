#include <algorithm>
#include <variant>

#include <unistd.h>

#include "cli/compute.hpp"
#include "cli/help.hpp"
#include "present/screen.hpp"
#include "tensor/blas.hpp"
#include "text/lines.hpp"
#include "walk/names.hpp"

namespace attn::cli {
namespace {

using Words = std::vector<std::string>;

/// Reads the user's own files. Throws UsageError.
void read_own(Options& options) {
  Lesson& lesson = options.lesson;
  for (const auto& [option, text] : options.given.last()) {
    if (const auto* inputs = std::get_if<std::optional<GivenTensor> Lesson::*>(&option->member)) {
      const bool is_second = option->name == "--second-inputs";
      lesson.** inputs = read_inputs(std::string(option->name), text, is_second ? "second_input" : "inputs");
    }
  }
  if (options.name == "layer" || options.given.has("--layer")) {
    settle_layer(options);
  } else if (const std::string* const weights = options.given.value_of("--weights")) {
    lesson.weights = read_weights(*weights, options.notes);
  }
}

/// Returns true if the presenter can run here.
bool can_present() try {
  present::require_terminal();
  return true;
} catch (const present::NoTerminal&) {
  return false;
}

/// Returns true unless tensors are saved and nothing of the line asks for a text.
bool asks_for_text(const Options& options) {
  return !options.save || options.given.has("--output") || options.explain || options.heatmap || options.cell ||
         options.draws || options.given.has("--format") || options.given.has("--emit");
}

void settle_walk(Options& options) {
  if (options.name == "tour") {
    options.step = can_present();
    options.explain = true;
  }
  options.prints = asks_for_text(options);
  options.all_steps = options.all_steps || (options.format->shows_all_steps && !options.given.has("--steps"));
  const Blas blas = options.typed.blas.value_or(default_blas());
  if (!gives_bits_of(blas)) {
    options.notes.push_back("this processor cannot run OpenBLAS's " + blas_name(blas) + " kernels; " +
                            blas_name(runnable(blas)) + "'s run instead, so last digits may differ");
  }
  options.lesson.kernels = {options.typed.cpu.value_or(options.chapters.at(0)->article->cpu), blas};
  options.lesson.dropout_kernel = options.typed.dropout_kernel.value_or(DropoutKernel::standard);
  read_own(options);
}

void settle_verify(Options& options) {
  VerifyOptions& verify = options.verify;
  if (options.words.empty()) {
    throw UsageError(
        "verify needs a page; give file names, or - for standard input; try attn-walkthrough verify page.txt");
  }
  read_own(options);
  verify.files = options.words;
  verify.cpu = options.typed.cpu;
  verify.blas = options.typed.blas;
  verify.dropout_kernel = options.typed.dropout_kernel;
  verify.lesson = options.lesson;
}

/// Throws UsageError unless the first word, if there is one, is known, and there are no more than `most`.
void check_words(const Subcommand& command, const Words& words, std::size_t most, const Words& known) {
  const bool is_known = words.empty() || std::ranges::find(known, words[0]) != known.end();
  if (!is_known || words.size() > most) {
    throw unknown(
        command.name + (is_known ? ": unexpected argument '" + words[most] : ": unknown word '" + words[0]) + "'",
        is_known ? "" : words[0], known, line_of(command) + " --help");
  }
}

/// The words "bash|fish|zsh" of a command's argument.
Words choices_of(const Subcommand& command) { return text::split(text::replaced(command.argument, "|", ",")); }

void check_listed(const Subcommand& command, const Words& words) {
  check_words(command, words, !words.empty() && words[0] == "steps" ? 2 : 1, choices_of(command));
  if (words.size() == 2 && entries_of(words[1]).empty()) {
    throw unknown("list steps: unknown chapter '" + words[1] + "'", words[1],
                  names_in(chapters::all_chapters(), [](const chapters::Chapter& one) { return one.name; }),
                  "attn-walkthrough list");
  }
}

void check_shell(const Subcommand& command, const Words& words) {
  if (words.empty()) {
    throw UsageError("completion needs a shell; give " + command.argument + "; try attn-walkthrough completion bash");
  }
  check_words(command, words, 1, choices_of(command));
}

/// The text of `help WORD`. Throws UsageError.
std::string help_on(const Subcommand& command, const Words& words) {
  Words known = names_in(subcommands(), &Subcommand::name);
  std::ranges::move(names_in(guides(), &Guide::name), std::back_inserter(known));
  check_words(command, words, 1, known);
  if (words.empty()) {
    return help(program(), {});
  }
  if (const Guide* const guide = find_guide(words[0])) {
    return shown(*guide);
  }
  const Subcommand& topic = named(subcommands(), words[0]);
  return help(topic, nothing_read(topic));
}

void settle(const Subcommand& command, Options& options) {
  choose_form(options);
  check_together(options);
  switch (options.command) {
    case Command::walk: settle_walk(options); break;
    case Command::verify: settle_verify(options); break;
    case Command::completion: check_shell(command, options.words); break;
    case Command::help: options.message = help_on(command, options.words); break;
    case Command::list: check_listed(command, options.words); break;
    case Command::message: break;
  }
}

Options message(const std::string& text, bool pager) {
  Options options;
  options.message = text;
  options.pager = pager;
  return options;
}

}  // namespace

Options parse(int argc, const char* const* argv) {
  const Words arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty() && isatty(STDOUT_FILENO) != 0) {
    return message(first_words(), false);
  }
  const auto asks = [&](const char* name) {  // for help, also where the rest of the line is wrong
    const auto end = std::ranges::find(arguments, "--");
    return std::find(arguments.begin(), end, name) != end;
  };
  const bool is_full = asks("--help");
  const bool is_short = !is_full && asks("-h");
  Options options;
  const Subcommand* command = nullptr;
  try {
    command = read_line(arguments, options);
  } catch (const UsageError&) {
    if (!is_full && !is_short) {
      throw;
    }
  }
  if (options.given.has("--version")) {
    return message("attn-walkthrough " ATTN_VERSION "\n", false);
  }
  if (command == nullptr || is_full || is_short) {
    const Subcommand& topic = options.name.empty() ? program() : named(subcommands(), options.name);
    return message(is_short ? short_help(topic, options) : help(topic, options), options.pager);
  }
  settle(*command, options);
  return options;
}

}  // namespace attn::cli
