#include <algorithm>
#include <variant>

#include <unistd.h>

#include "cli/help.hpp"
#include "cli/layer.hpp"
#include "cli/line.hpp"
#include "cli/option_rows.hpp"
#include "cli/options.hpp"
#include "cli/own_tensors.hpp"
#include "present/screen.hpp"
#include "tensor/blas_kernels.hpp"
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
      lesson.** inputs =
          read_inputs(std::string(option->name), text, is_second ? "second_input" : "inputs", options.notes);
    }
  }
  if (is_about_layer(options)) {
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
  check_query(options);
}

/// Throws UsageError unless there are so many words, and the first is known.
void check_words(const Subcommand& command, const Words& words, std::size_t least, std::size_t most) {
  const Words known = command.choices();
  const bool is_known = words.empty() || std::ranges::find(known, words[0]) != known.end();
  if (is_known && words.size() >= least && words.size() <= most) {
    return;
  }
  const std::string what = words.size() < least ? command.name + " needs a word"
                           : is_known           ? command.name + ": unexpected argument '" + words[most] + "'"
                                                : command.name + ": unknown word '" + words[0] + "'";
  throw unknown(what, is_known ? "" : words[0], known, line_of(command) + " --help");
}

void check_listed(const Subcommand& command, const Words& words) {
  check_words(command, words, 0, !words.empty() && words[0] == "steps" ? 2 : 1);
  if (words.size() == 2 && entries_of(words[1]).empty()) {
    throw unknown("list steps: unknown chapter '" + words[1] + "'", words[1],
                  names_in(chapters::all_chapters(), [](const chapters::Chapter& one) { return one.name; }),
                  "attn-walkthrough list");
  }
}

/// The text of `help WORD`. Throws UsageError.
std::string help_on(const Subcommand& command, const Words& words) {
  check_words(command, words, 0, 1);
  if (words.empty()) {
    return help(program(), {});
  }
  if (const Guide* const guide = find_guide(words[0])) {
    return shown(*guide);
  }
  const Subcommand& topic = named(subcommands(), words[0]);
  Options options;
  begin(topic, options);
  return help(topic, options);
}

void settle(const Subcommand& command, Options& options) {
  choose_form(options);
  check_together(options);
  switch (options.command) {
    case Command::walk: settle_walk(options); break;
    case Command::verify: settle_verify(options); break;
    case Command::completion: check_words(command, options.words, 1, 1); break;
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
  Options options;
  const Subcommand* command = nullptr;
  bool is_full = false;  // help, also where the rest of the line is wrong
  bool is_short = false;
  try {
    command = read_line(arguments, options);
    is_full = options.given.has("--help");
    is_short = options.given.has("-h");
  } catch (const UsageError&) {
    is_full = std::ranges::find(arguments, "--help") != arguments.end();
    is_short = std::ranges::find(arguments, "-h") != arguments.end();
    if (!is_full && !is_short) {
      throw;
    }
    const auto found = std::ranges::find(subcommands(), options.name, &Subcommand::name);
    command = found == subcommands().end() ? nullptr : &*found;
  }
  if (options.given.has("--version")) {
    return message("attn-walkthrough " ATTN_VERSION "\n", false);
  }
  if (command == nullptr || is_full || is_short) {
    const Subcommand& topic = command != nullptr ? *command : program();
    return message(is_short && !is_full ? short_help(topic, options) : help(topic, options), options.pager);
  }
  settle(*command, options);
  return options;
}

}  // namespace attn::cli
