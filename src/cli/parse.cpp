#include "cli/parse.hpp"

#include <algorithm>
#include <exception>

#include <unistd.h>

#include "cli/complaints.hpp"
#include "cli/completion.hpp"
#include "cli/endings.hpp"
#include "cli/guides.hpp"
#include "cli/help.hpp"
#include "cli/layer.hpp"
#include "cli/live_settings.hpp"
#include "cli/option_checks.hpp"
#include "cli/own_tensors.hpp"
#include "cli/usage_error.hpp"
#include "present/screen.hpp"
#include "tensor/blas_kernels.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"
#include "walk/names.hpp"

namespace attn::cli {
namespace {

/// The options of a command before any is read.
Options beginning(const CommandLine& line) {
  const Subcommand& command = line.told_of();
  Options options;
  options.command = command.command;
  options.name = command.name;
  options.words = line.words;
  if (command.taker == by_all) {
    for (const chapters::Chapter& chapter : chapters::all_articles().front().get().chapters) {
      options.chapters.push_back(&chapter);
    }
  } else if (command.taker == by_tour) {
    for (const Subcommand& chapter : subcommands()) {
      options.chapters.insert(options.chapters.end(), chapter.entries.begin(),
                              chapter.entries.begin() + (chapter.entries.empty() ? 0 : 1));
    }
  } else if (command.taker == by_layer) {
    options.chapters = nothing_read(command).chapters;
  } else if (!command.entries.empty()) {
    options.chapters = {command.entries.front()};
  }
  return options;
}

/// Reads an option's values. All must be valid, and the last one counts. Throws UsageError.
void read_option(Options& options, const Option& option, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    if (const std::string wrong = what_is_wrong(option.value, text, options); !wrong.empty()) {
      throw UsageError(std::string(option.name) + ": " + wrong);
    }
    if (option.read != nullptr) {
      option.read(options, text);
    }
  }
}

template <class OnOption>
void for_each_given(const CommandLine& line, OnOption on_option) {
  for (const Option* option : options_of(line.told_of())) {
    if (const auto found = line.given.find(option->name); found != line.given.end()) {
      on_option(*option, found->second);
    }
  }
}

/// Settles what depends on several options: sizes, kernels, and the user's files. Throws UsageError.
void settle_lesson(Options& options) {
  Lesson& lesson = options.lesson;
  const Typed& typed = options.typed;
  lesson.d_out_kq = lesson.d_out_kq ? lesson.d_out_kq : typed.d_out;
  lesson.d_out_v = lesson.d_out_v ? lesson.d_out_v : typed.d_out;
  if (typed.inputs) {
    lesson.inputs = read_inputs("--inputs", *typed.inputs, "inputs", options.notes);
  }
  if (typed.second_inputs) {
    lesson.second_inputs = read_inputs("--second-inputs", *typed.second_inputs, "second_input", options.notes);
  }
  if (is_about_layer(options)) {
    settle_layer(options);
  } else if (typed.weights) {
    lesson.weights = read_weights(*typed.weights, options.notes);
  }
}

/// Returns true if the presenter can run here.
bool can_present() try {
  present::require_terminal();
  return true;
} catch (const present::NoTerminal&) {
  return false;
}

void settle_walk(Options& options, const Subcommand& command, const Given& given) {
  if (options.name == "tour") {
    options.step = can_present();
    options.explain = true;
  }
  options.all_steps = options.all_steps || (options.format->shows_all_steps && !given.contains("--steps"));
  const Blas blas = options.typed.blas.value_or(default_blas());
  if (!gives_bits_of(blas)) {
    options.notes.push_back("this processor cannot run OpenBLAS's " + blas_name(blas) + " kernels; " +
                            blas_name(runnable(blas)) + "'s run instead, so last digits may differ");
  }
  options.lesson.kernels = {options.typed.cpu.value_or(options.chapters.at(0)->article->cpu), blas};
  options.lesson.dropout_kernel = options.typed.dropout_kernel.value_or(DropoutKernel::standard);
  settle_lesson(options);
  for (const auto& [name, values] : given) {
    const Option* const option = find_option(command, name);
    if (option != nullptr && is_setting(*option)) {
      options.settings[name.substr(2)] = values.back();
    }
  }
}

void settle_verify(Options& options, const Given& given) {
  VerifyOptions& verify = options.verify;
  if (options.words.empty()) {
    throw UsageError(
        "verify needs a page; give file names, or - for standard input; try attn-walkthrough verify page.txt");
  }
  settle_lesson(options);
  verify.files = options.words;
  std::ranges::transform(given, std::back_inserter(verify.given), [](const auto& one) { return one.first; });
  verify.is_seed_given = given.contains("--seed");
  verify.cpu = options.typed.cpu;
  verify.blas = options.typed.blas;
  verify.dropout_kernel = options.typed.dropout_kernel;
  verify.lesson = options.lesson;
  check_query(options);
}

void check_shell(const Options& options) {
  const std::vector<std::string> known = shells();
  const std::string accepted = "; choose from " + text::joined(known) + "; try attn-walkthrough completion ";
  if (options.words.size() != 1) {
    throw UsageError("completion needs one shell" + accepted + known.front());
  }
  const std::string& shell = options.words.front();
  if (std::ranges::find(known, shell) == known.end()) {
    const std::string near = text::nearest(shell, known);
    throw UsageError("there are no completions for '" + shell + "'" + accepted + (near.empty() ? known.front() : near));
  }
}

void check_listed(const Subcommand& command, const Options& options) {
  const std::vector<std::string> known = command.choices();
  const auto is_unknown = [&known](const std::string& word) { return std::ranges::find(known, word) == known.end(); };
  const std::vector<std::string>& words = options.words;
  const bool has_chapter = words.size() == 2 && words[0] == "steps";
  if (words.size() > (has_chapter ? 2U : 1U) || (!words.empty() && is_unknown(words[0]))) {
    throw UsageError("list: unexpected argument '" + words.back() + "'; give one of " + text::joined(known) +
                     ", or nothing; try attn-walkthrough list " + known.front());
  }
  if (has_chapter && entries_of(words[1]).empty()) {
    throw UsageError("list steps: unknown chapter '" + words[1] + "'; see attn-walkthrough list chapters");
  }
}

/// The text of `help WORDS`. Throws UsageError.
std::string help_on(const std::vector<std::string>& words) {
  CommandLine line;
  if (words.empty()) {
    return help(line);
  }
  const std::string& topic = words.front();
  if (const Guide* const guide = words.size() == 1 ? find_guide(topic) : nullptr) {
    return shown(*guide);
  }
  const auto found = std::ranges::find(subcommands(), topic, &Subcommand::name);
  if (words.size() == 1 && found != subcommands().end()) {
    line.command = &*found;
    return help(line);
  }
  const std::vector<std::string> topics = std::ranges::find(subcommands(), "help", &Subcommand::name)->choices();
  const std::string near = text::nearest(topic, topics);
  throw UsageError((words.size() > 1 ? "help takes one word" : "there is no help for '" + topic + "'") +
                   "; choose from " + text::joined(topics) + "; try attn-walkthrough help " +
                   (near.empty() ? topics.front() : near));
}

void settle(Options& options, const CommandLine& line) {
  Given given = line.given;
  given[options.name] = {""};
  check_together(*line.command, options, given);
  switch (options.command) {
    case Command::walk: settle_walk(options, *line.command, given); break;
    case Command::verify: settle_verify(options, given); break;
    case Command::completion: check_shell(options); break;
    case Command::help: options.message = help_on(options.words); break;
    case Command::list: check_listed(*line.command, options); break;
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

Options understood(const CommandLine& line) {
  Options options = beginning(line);
  for_each_given(line, [&options](const Option& option, const std::vector<std::string>& texts) {
    try {
      read_option(options, option, texts);
    } catch (const UsageError&) {  // skip it; read the others
    }
  });
  try {
    if (line.command != nullptr) {
      settle(options, line);
    }
  } catch (const std::exception&) {  // keep what is read so far
  }
  return options;
}

Options parse(int argc, const char* const* argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  CommandLine line = read_line(arguments);
  check_expected(line, arguments);
  choose_form(line);
  if (line.given.contains("--version")) {
    return message("attn-walkthrough " ATTN_VERSION "\n", false);
  }
  if (arguments.empty() && isatty(STDOUT_FILENO) != 0) {
    return message(first_words(), false);
  }
  const bool is_full = line.given.contains("--help");
  const bool is_short = !is_full && line.given.contains("-h");
  if (line.command == nullptr || is_full || is_short) {
    return message(is_short ? short_help(line) : help(line), !line.given.contains("--no-pager"));
  }
  Options options = beginning(line);
  for_each_given(line, [&options](const Option& option, const std::vector<std::string>& texts) {
    read_option(options, option, texts);
  });
  settle(options, line);
  return options;
}

}  // namespace attn::cli
