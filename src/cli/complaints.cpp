#include "cli/complaints.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/usage_error.hpp"
#include "text/ascii.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"

namespace attn::cli {
namespace {

using Words = std::vector<std::string>;

constexpr auto program_name = "attn-walkthrough";

Words option_names(const Syntax& syntax) {
  Words names;
  for (const KnownOption& option : syntax.options) {
    names.push_back(option.name);
  }
  return names;
}

/// The commands that have the option.
Words commands_with(const std::string& option, std::span<const KnownCommand> commands) {
  Words names;
  for (const KnownCommand& command : commands) {
    if (command.syntax().find(option) != nullptr) {
      names.push_back(command.name);
    }
  }
  return names;
}

/// As a shell takes it for one word.
std::string quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return text::is_letter(c) || text::is_digit(c) || std::string_view("-_=./,:+@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
    return word;
  }
  std::string result = "'";
  for (const char c : word) {
    result += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return result + "'";
}

/// The line to type: the command before all else, and no "--".
std::string line_to_type(const std::string& command, std::span<const std::string> before,
                         std::span<const std::string> after) {
  std::string line = std::string("type ") + program_name + " " + command;
  for (const auto words : {before, after}) {
    for (const std::string& word : words) {
      line += word == "--" ? "" : " " + quoted(word);
    }
  }
  return line;
}

/// Where a command stands that takes all options before it.
std::optional<std::size_t> later_command(std::span<const KnownCommand> commands,
                                         std::span<const std::string> arguments) {
  for (const KnownCommand& command : commands) {
    Syntax syntax = command.syntax();
    syntax.takes_files = false;
    try {
      const std::size_t at = read_arguments(arguments, syntax).read;
      if (at < arguments.size() && arguments[at] == command.name) {
        return at;
      }
    } catch (const UsageError&) {  // one that is said where the command stands first
    }
  }
  return {};
}

[[noreturn]] void throw_unknown_option(std::span<const KnownCommand> commands, const KnownCommand& chosen,
                                       const Syntax& program, const std::string& option) {
  const Syntax syntax = chosen.syntax();
  const std::string help = "see " + syntax.help;
  if (program.find(option) != nullptr) {
    throw UsageError(option + " has no meaning in " + chosen.name + "; it is accepted alone; type " + program_name +
                     " " + option);
  }
  const Words elsewhere = commands_with(option, commands);
  if (!elsewhere.empty()) {
    throw UsageError(option + " has no meaning in " + chosen.name + "; it is accepted in " + text::joined(elsewhere) +
                     "; " + help);
  }
  const std::string near = text::nearest(option, option_names(syntax));
  throw UsageError("there is no option " + option + "; " +
                   (near.empty() ? "accepted are those of " + chosen.name + "; " : "the nearest is " + near + "; ") +
                   (syntax.argument == "FILE" ? "type ./" + option + " for a file of this name; " : "") + help);
}

/// Complains about an option where a command should be.
[[noreturn]] void throw_option_first(std::span<const KnownCommand> commands, const Syntax& program,
                                     const std::string& option, const std::string& accepted) {
  const Words with = commands_with(option, commands);
  if (!with.empty()) {
    const bool by_default = std::find(with.begin(), with.end(), "causal") != with.end();
    throw UsageError("no chapter before " + option + "; " + accepted + "try " + program_name + " " +
                     (by_default ? "causal" : with[0]) + " " + option);
  }
  Words names = option_names(program);
  for (const KnownCommand& command : commands) {
    const Words more = option_names(command.syntax());
    names.insert(names.end(), more.begin(), more.end());
  }
  const std::string near = text::nearest(option, names);
  throw UsageError("there is no option " + option + ", and no chapter before it; " + accepted +
                   (near.empty() ? "" : "the nearest option is " + near + "; ") + "see " + program.help);
}

}  // namespace

void throw_unexpected(std::span<const KnownCommand> commands, const KnownCommand& chosen, const Syntax& program,
                      std::span<const std::string> arguments, const Arguments& read) {
  const std::string& argument = arguments[read.read];
  const Syntax syntax = chosen.syntax();
  if (read.after_dashes && syntax.find(option_part(argument)) != nullptr) {
    throw UsageError(option_part(argument) + " stands after --, where no option is read; accepted are options before --; " +
                     "leave -- out: " + line_to_type(chosen.name, arguments, {}));
  }
  if (!read.after_dashes && argument.size() > 1 && argument[0] == '-') {
    throw_unknown_option(commands, chosen, program, option_part(argument));
  }
  const bool lacks_dashes = syntax.find("--" + option_part(argument)) != nullptr;
  throw UsageError("'" + argument + "' is not expected after " + chosen.name + "; accepted are options; " +
                   (lacks_dashes ? "type --" + argument + " for the option; " : "") + "see " + syntax.help);
}

void throw_no_command(std::span<const KnownCommand> commands, const Syntax& program,
                      std::span<const std::string> arguments, const Arguments& read) {
  Words names;
  for (const KnownCommand& command : commands) {
    names.push_back(command.name);
  }
  const std::string accepted = "accepted are " + text::joined(names) + "; ";
  const std::span<const std::string> rest = arguments.subspan(read.read);
  const std::string argument = rest.empty() ? "" : rest[0];
  const std::string what = read.after_dashes ? "--" : option_part(argument);
  const bool is_option = read.after_dashes || (argument.size() > 1 && argument[0] == '-');
  const std::optional<std::size_t> at = is_option ? later_command(commands, rest) : std::nullopt;
  if (at) {
    throw UsageError(what + " stands before the chapter; accepted are a chapter and then its options; " +
                     (read.after_dashes ? "leave -- out: " : "") +
                     line_to_type(rest[*at], rest.first(*at), rest.subspan(*at + 1)));
  }
  if (rest.empty()) {
    throw UsageError("no chapter after --; " + accepted + "leave -- out, and name one of them");
  }
  if (is_option && !read.after_dashes) {
    throw_option_first(commands, program, what, accepted);
  }
  const std::string near = text::nearest(argument, names);
  throw UsageError("there is no chapter '" + argument + "'; " + accepted +
                   (near.empty() ? "see " + program.help : std::string("try ") + program_name + " " + near));
}

}  // namespace attn::cli
