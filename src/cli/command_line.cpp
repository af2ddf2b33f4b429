#include "cli/command_line.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/usage_error.hpp"

namespace attn::cli {
namespace {

constexpr auto dashes = "--";

/// A character that no argument contains. It marks what CLI11 cannot distinguish: "--seed=" from "--seed",
/// "--explain=true" from "--explain", "-output" from "-o utput", "---x" from a word. It is inserted before a value that
/// is attached to its option, and after the dashes of an unknown option.
constexpr char mark = '\0';

bool is_option(const std::string& name) {
  return std::ranges::any_of(all_options(),
                             [&name](const Option& option) { return option.name == name || option.letter == name; });
}

std::string marked(std::string argument) {
  if (argument == "++") {  // CLI11 would end the command there
    return mark + argument;
  }
  if (argument.size() < 2 || argument[0] != '-' || argument == dashes) {
    return argument;
  }
  const bool is_long = argument.starts_with(dashes);
  const std::string letter = argument.substr(0, 2);
  if (is_long ? is_option(option_part(argument)) : is_option(letter) && !is_option("-" + option_part(argument))) {
    const std::size_t end = is_long ? std::min(argument.find('='), argument.size()) : 2;
    const bool has_equals = argument.size() > end && argument[end] == '=';
    argument.erase(end, has_equals && !is_long ? 1 : 0);
    const std::size_t value = end + (has_equals && is_long ? 1 : 0);
    return value < argument.size() || has_equals ? argument.insert(value, 1, mark) : argument;
  }
  return argument.insert(is_long ? 2 : 1, 1, mark);
}

std::string unmarked(std::string text) {
  std::erase(text, mark);
  return text;
}

std::vector<std::string> unmarked(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  std::ranges::transform(texts, std::back_inserter(result), [](const std::string& text) { return unmarked(text); });
  return result;
}

bool is_flag(const Option& option) { return option.value.kind == ValueKind::flag; }

/// What a line may have: CLI11 compares each option that it gets with all before it, and has no need of others.
class Mentioned {
 public:
  explicit Mentioned(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  bool has(const Option& option) const {
    return std::ranges::any_of(arguments_, [&option](const std::string& argument) {
      const bool may_have_letters = argument.starts_with('-') && !argument.starts_with(dashes);
      return argument.starts_with(option.name) || (may_have_letters && !option.letter.empty());
    });
  }
  bool has(const Subcommand& command) const {
    return std::ranges::any_of(arguments_,
                               [&command](const std::string& argument) { return argument == command.name; });
  }

 private:
  const std::vector<std::string>& arguments_;
};

/// A parser of the options alone: what is said of them it need not know. Words of any number are its "WORDS".
void add_options(CLI::App& app, const Subcommand& command, const Mentioned& mentioned) {
  constexpr int any_number = 1 << 28;
  app.set_help_flag();
  app.add_option("WORDS")->expected(any_number, any_number)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  for (const Option* option : options_of(command)) {
    if (!mentioned.has(*option)) {
      continue;
    }
    const std::string names =
        std::string(option->name) + (option->letter.empty() ? "" : "," + std::string(option->letter));
    (is_flag(*option) ? app.add_flag(names)->disable_flag_override() : app.add_option(names))
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
}

/// "for a file of this name, type ./-x": how to give a value that looks like an option; empty if nobody would want it.
std::string way_to_mean(const Option& option, const std::string& text) {
  if (option.value.kind == ValueKind::output || option.value.kind == ValueKind::save) {
    return "for a file of this name, type ./" + text + "; ";
  }
  return option.value.kind == ValueKind::sentence
             ? "if these are the words, type " + std::string(option.name) + "=" + text + "; "
             : "";
}

[[noreturn]] void throw_no_value(const Subcommand& command, const Option& option, const std::string& what,
                                 const std::string& way = "") {
  const std::string name(option.name);
  throw UsageError(name + " needs a value, but " + what + "; use " + name + " " +
                   placeholder(option.value, nothing_read(command)) + "; " + way + "see " + line_of(command) +
                   " --help");
}

/// Reads the parts of a line from CLI11's result.
class Parts {
 public:
  Parts(const CLI::App& app, const Subcommand& command) : app_(app), command_(command) {}

  void add_to(CommandLine& line, std::vector<std::string>& words, std::vector<std::string>& unknown) const {
    for (const Option* option : options_of(command_)) {
      if (const CLI::Option* const found = app_.get_option_no_throw(std::string(option->name))) {
        for (const std::string& text : found->results()) {
          add_value(line, *option, text);
        }
      }
    }
    words = unmarked(app_.get_option("WORDS")->results());
    for (const std::string& text : app_.remaining()) {
      if (text == dashes) {
        line.is_after_dashes = true;
      } else {
        unknown.push_back(unmarked(text));
      }
    }
  }

 private:
  void add_value(CommandLine& line, const Option& option, const std::string& text) const {
    const std::string value = is_flag(option) ? "" : unmarked(text);
    const bool is_attached = text.starts_with(mark);
    if (is_attached && value.empty() && !is_flag(option)) {
      throw_no_value(command_, option, "none is given after '='");
    }
    if (!is_attached && (value == dashes || find_option(command_, option_part(value)) != nullptr)) {
      throw_no_value(command_, option, value + " is an option", way_to_mean(option, value));
    }
    line.given[std::string(option.name)].push_back(value);
  }

  const CLI::App& app_;
  const Subcommand& command_;
};

/// Throws UsageError for an option without a value, or a flag with one. CLI11's message begins with its name.
[[noreturn]] void throw_mismatch(const Subcommand& command, const std::string& words) {
  const std::string name = dashes + words.substr(std::min(words.find_first_not_of('-'), words.size()));
  const std::string option = name.substr(0, name.find_first_of(": "));
  if (const Option* const found = find_option(command, option); found != nullptr && !is_flag(*found)) {
    throw_no_value(command, *found, "none is given");
  }
  throw UsageError(option + " takes no value; use " + option + " alone");
}

CommandLine read(const std::vector<std::string>& arguments) {
  const Mentioned mentioned(arguments);
  CLI::App app;
  app.allow_extras();
  app.require_subcommand(0, 1);
  add_options(app, program(), mentioned);
  CommandLine line;
  const CLI::App* chosen = nullptr;
  for (const Subcommand& command : subcommands()) {
    if (!mentioned.has(command)) {
      continue;
    }
    CLI::App* const sub = app.add_subcommand(command.name);
    sub->preparse_callback([&, sub](std::size_t) {  // options of other commands are not needed
      line.command = &command;
      chosen = sub;
      add_options(*sub, command, mentioned);
    });
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ArgumentMismatch& error) {
    throw_mismatch(line.told_of(), error.what());
  }
  Parts(app, program()).add_to(line, line.early_words, line.early_unknown);
  if (chosen != nullptr) {
    Parts(*chosen, *line.command).add_to(line, line.words, line.unknown);
  }
  return line;
}

/// Marks the arguments before "--"; those after it are not options.
std::vector<std::string> marked(std::span<const std::string> arguments) {
  std::vector<std::string> result(arguments.begin(), arguments.end());
  const auto end = std::ranges::find(result, dashes);
  std::transform(result.begin(), end, result.begin(), [](const std::string& argument) { return marked(argument); });
  return result;
}

}  // namespace

CommandLine read_line(std::span<const std::string> arguments) { return read(marked(arguments)); }

}  // namespace attn::cli
