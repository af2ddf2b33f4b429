#include "cli/help.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "cli/guides.hpp"
#include "cli/option_rows.hpp"
#include "cli/parse.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

constexpr std::size_t help_column = 28;
constexpr std::int64_t width = 80;

/// Indents a term such as "--what-if no-scaling|no-mask", and breaks long lines after a "|".
std::string typed_lines(const std::string& typed) {
  std::string text;
  std::string line = "  " + typed;
  const std::string indent(line.find(' ', 2) + 1, ' ');
  while (line.size() > width) {
    const std::size_t end = line.rfind('|', width - 1) + 1;
    text += line.substr(0, end) + "\n";
    line = indent + line.substr(end);
  }
  return text + line;
}

/// A term and its description, side by side; a long term gets lines of its own.
std::string row(const std::string& typed, std::string_view doc) {
  const std::string indent(help_column, ' ');
  const std::string first = typed_lines(typed);
  const bool is_short = first.size() + 2 <= help_column;
  std::string text = is_short ? "" : first + "\n";
  for (const std::string& line :
       text::wrapped(doc, width, is_short ? first + std::string(help_column - first.size(), ' ') : indent, indent)) {
    text += line + "\n";
  }
  return text;
}

std::string option_row(const Option& option, const std::string& value) {
  const std::string letter = option.letter.empty() ? "" : std::string(option.letter) + ",";
  return row(letter + std::string(option.name) + (value.empty() ? "" : " " + value), option.doc);
}

std::string options_text(const Subcommand& command, const Options& so_far) {
  std::string text;
  std::string_view group;
  for (const Option* option : options_of(command)) {
    if (option->group != group) {
      group = option->group;
      text += "\n" + std::string(group) + ":\n";
    }
    text += option_row(*option, placeholder(option->value, so_far));
  }
  return text;
}

std::string commands_text() {
  std::string text;
  std::string group;
  for (const Subcommand& command : subcommands()) {
    text += command.group == group ? "" : "\n" + command.group + ":\n";
    group = command.group;
    text += row(command.name, command.summary);
  }
  return text;
}

std::string guides_text() {
  std::string text = "\nGuides, shown by attn-walkthrough help GUIDE:\n";
  for (const Guide& guide : guides()) {
    text += row(std::string(guide.name), title(guide));
  }
  return text;
}

std::string remark_text(const std::string& remark) {
  std::string text;
  for (const std::string& paragraph : text::lines_of(remark)) {
    text += paragraph.empty() ? "\n" : text::joined(text::wrapped(paragraph, width, "", ""), "\n") + "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

/// " FILE...", " steps|rules"; empty if the command takes no argument.
std::string argument_of(const Subcommand& command) {
  const bool is_choice = command.argument.find('|') != std::string::npos;
  return command.argument.empty() ? "" : " " + command.argument + (is_choice ? "" : "...");
}

/// The command's summary and usage.
std::string opening(const CommandLine& line) {
  const Subcommand& command = line.told_of();
  return remark_text(command.summary).substr(1) + "Usage: " + line_of(command) + " [OPTIONS]" +
         (line.command == nullptr ? " [CHAPTER]" : argument_of(command)) + "\n";
}

/// "Chapters: simplified, trainable", a paragraph for each group.
std::string command_names_text() {
  std::map<std::string, std::vector<std::string>> names;
  for (const Subcommand& command : subcommands()) {
    names[command.group].push_back(command.name);
  }
  std::string text;
  for (const auto& [group, members] : names) {
    text += remark_text(group + ": " + text::joined(members)).substr(1);
  }
  return text;
}

}  // namespace

std::string short_help(const CommandLine& line) {
  constexpr std::size_t few = 12;
  const Subcommand& chapter = subcommands().front();
  const Subcommand& command = line.command == nullptr ? chapter : *line.command;
  const std::vector<const Option*> options = options_of(command);
  if (options.size() <= few) {
    return help(line);
  }
  std::string text = opening(line) + (line.command == nullptr ? "\n" + command_names_text() : "");
  text += std::string("\nCommon options") + (line.command == nullptr ? " of a chapter" : "") + ":\n";
  const Options so_far = line.command == nullptr ? nothing_read(program()) : understood(line);
  for (const Option* option : options) {
    const std::string word(option->value.placeholder);
    text += !option->is_common ? "" : option_row(*option, word.empty() ? placeholder(option->value, so_far) : word);
  }
  return text + remark_text("More: " + line_of(line.told_of()) + " --help" +
                            (line.command == nullptr ? ", CHAPTER --help," : ",") + " attn-walkthrough help GUIDE (" +
                            text::joined(names_in(guides(), &Guide::name)) + ")");
}

std::string first_words() {
  return "Prints every tensor of the attention mechanism exactly as PyTorch prints it. Try:\n\n"
         "  attn-walkthrough simplified              attention without weights\n"
         "  attn-walkthrough causal --explain        what each step does\n"
         "  attn-walkthrough multihead --step        one step at a time\n"
         "  attn-walkthrough verify page.html        check the numbers on a page\n"
         "  attn-walkthrough help ports              check attention in your own code\n"
         "  attn-walkthrough help                    all commands and options\n";
}

std::string help(const CommandLine& line) {
  const Subcommand& command = line.told_of();
  std::string text = opening(line);
  if (!command.argument.empty()) {
    text += "\nArguments:\n" + row(argument_of(command).substr(1), command.argument_doc);
  }
  text += options_text(command, understood(line));
  text += line.command == nullptr ? commands_text() + guides_text() : "";
  text += remark_text(command.remark) + remark_text(command.also);
  text += command.examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const std::string& example : command.examples) {
    text += "  " + example + "\n";
  }
  return text;
}

}  // namespace attn::cli
