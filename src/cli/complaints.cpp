#include "cli/complaints.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "cli/option_rows.hpp"
#include "cli/usage_error.hpp"
#include "cli/values.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"

namespace attn::cli {
namespace {

using Words = std::vector<std::string>;

Words option_names(const Subcommand& command) { return names_in(options_of(command), &Option::name); }

Words command_names() { return names_in(subcommands(), &Subcommand::name); }

/// Whether the option is also known as the typed one: "--heads" for --num-heads.
bool is_also(const Option& option, const std::string& typed) {
  return (" " + std::string(option.others) + " ").find(" " + typed + " ") != std::string::npos;
}

/// Whether the typed word is one of the option's: "--size" for --cell-size.
bool is_word_of(const Option& option, const std::string& typed) {
  const std::string name = std::string(option.name.substr(1)) + "-";
  return typed.size() > 2 && name.find(typed.substr(1) + "-") != std::string::npos;
}

/// The command's option that the typed word means; empty if none does.
std::string meant_option(const Subcommand& command, const std::string& typed) {
  for (const auto means : {is_also, is_word_of}) {
    for (const Option* option : options_of(command)) {
      if (means(*option, typed)) {
        return std::string(option->name);
      }
    }
  }
  return "";
}

/// The option of another command that the typed word means; empty if none does.
std::string meant_elsewhere(const std::string& typed) {
  for (const Subcommand& command : subcommands()) {
    if (std::string option = meant_option(command, typed); !option.empty()) {
      return option;
    }
  }
  return "";
}

/// The commands that take the option.
Words commands_with(const std::string& option) {
  Words names;
  for (const Subcommand& command : subcommands()) {
    if (find_option(command, option) != nullptr) {
      names.push_back(command.name);
    }
  }
  return names;
}

/// The corrected line: the last occurrence of the command first, and no "--".
std::string line_to_type(const std::string& command, std::span<const std::string> arguments) {
  std::string line = "type attn-walkthrough " + command;
  const auto at = std::find(arguments.rbegin(), arguments.rend(), command).base();
  for (auto word = arguments.begin(); word != arguments.end(); ++word) {
    line += word + 1 == at || *word == "--" ? "" : " " + shell_word(*word);
  }
  return line;
}

std::string help_of(const Subcommand& command) { return "see " + line_of(command) + " --help"; }

std::string accepted_commands() { return "choose from " + text::joined(command_names()) + "; "; }

[[noreturn]] void throw_unknown_option(const Subcommand& command, const std::string& option) {
  if (find_option(program(), option) != nullptr) {
    throw UsageError(option + " does not apply to " + command.name + "; use it alone; type attn-walkthrough " + option);
  }
  if (const Words elsewhere = commands_with(option); !elsewhere.empty()) {
    throw UsageError(option + " does not apply to " + command.name + "; it applies to " + text::joined(elsewhere) +
                     "; " + help_of(command));
  }
  const std::string meant = meant_option(command, option);
  if (const std::string other = meant_elsewhere(option); meant.empty() && !other.empty()) {
    throw UsageError("unknown option " + option + "; " + other + " applies to " + text::joined(commands_with(other)) +
                     "; " + help_of(command));
  }
  const std::string near = meant.empty() ? text::nearest(option, option_names(command)) : meant;
  throw UsageError("unknown option " + option + "; " +
                   (near.empty() ? "use the options of " + command.name + "; " : "the nearest is " + near + "; ") +
                   (command.argument == "FILE" ? "type ./" + option + " for a file of this name; " : "") +
                   help_of(command));
}

[[noreturn]] void throw_unexpected_word(const Subcommand& command, const CommandLine& line,
                                        std::span<const std::string> arguments) {
  const std::string& word = line.words.front();
  if (line.is_after_dashes && find_option(command, option_part(word)) != nullptr) {
    throw UsageError(option_part(word) +
                     " comes after --, which ends the options; leave -- out: " + line_to_type(command.name, arguments));
  }
  const bool lacks_dashes = find_option(command, "--" + option_part(word)) != nullptr;
  throw UsageError("unexpected argument '" + word + "' after " + command.name + "; only options may follow; " +
                   (lacks_dashes ? "type --" + word + " for the option; " : "") + help_of(command));
}

[[noreturn]] void throw_no_such_command(const std::string& word) {
  const std::string near = text::nearest(word, command_names());
  throw UsageError("unknown chapter or command '" + word + "'; " +
                   (near.empty() ? accepted_commands() + help_of(program())
                                 : "did you mean " + near + "? try attn-walkthrough " + near));
}

/// Throws UsageError for an option without a command.
[[noreturn]] void throw_option_alone(const std::string& option) {
  if (const Words with = commands_with(option); !with.empty()) {
    const bool by_default = std::ranges::find(with, "causal") != with.end();
    throw UsageError("no chapter before " + option + "; " + accepted_commands() + "try attn-walkthrough " +
                     (by_default ? "causal" : with[0]) + " " + option);
  }
  Words names = option_names(program());
  for (const Subcommand& command : subcommands()) {
    const Words more = option_names(command);
    names.insert(names.end(), more.begin(), more.end());
  }
  const std::string near = text::nearest(option, names);
  throw UsageError("unknown option " + option + ", and no chapter before it; " + accepted_commands() +
                   (near.empty() ? "" : "the nearest option is " + near + "; ") + help_of(program()));
}

void check_no_command(const CommandLine& line, std::span<const std::string> arguments) {
  const Words names = command_names();
  const auto named = std::ranges::find_first_of(line.early_words, names);
  if (line.is_after_dashes && named != line.early_words.end()) {
    throw UsageError("-- comes before the chapter; leave -- out: " + line_to_type(*named, arguments));
  }
  const bool begins_with_word = !line.early_words.empty() && arguments.front() == line.early_words.front();
  if (!line.early_unknown.empty() && !begins_with_word) {
    throw_option_alone(option_part(line.early_unknown.front()));
  }
  if (!line.early_words.empty()) {
    throw_no_such_command(line.early_words.front());
  }
  if (line.is_after_dashes) {
    throw UsageError("no chapter after --; " + accepted_commands() + "leave -- out, and name one of them");
  }
}

}  // namespace

void check_expected(const CommandLine& line, std::span<const std::string> arguments) {
  if (line.command == nullptr) {
    check_no_command(line, arguments);
    return;
  }
  const Subcommand& command = *line.command;
  if (!line.early_unknown.empty()) {
    const std::string option = option_part(line.early_unknown.front());
    const Words names = command_names();
    const auto last = std::find_first_of(arguments.rbegin(), arguments.rend(), names.begin(), names.end());
    const std::string meant = last == arguments.rend() ? command.name : *last;
    if (find_option(*std::ranges::find(subcommands(), meant, &Subcommand::name), option) == nullptr) {
      throw_unknown_option(command, option);
    }
    throw UsageError(option + " comes before the chapter; options follow the chapter; " +
                     line_to_type(meant, arguments));
  }
  if (!line.early_words.empty()) {
    throw_no_such_command(line.early_words.front());
  }
  if (!line.unknown.empty()) {
    throw_unknown_option(command, option_part(line.unknown.front()));
  }
  if (command.argument.empty() && !line.words.empty()) {
    throw_unexpected_word(command, line, arguments);
  }
}

}  // namespace attn::cli
