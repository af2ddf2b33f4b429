#include "cli/help.hpp"

#include <cstdint>

#include "cli/guides.hpp"
#include "cli/parse.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

constexpr std::size_t help_column = 34;
constexpr std::int64_t width = 100;

/// What is typed, and beside it what it does; below it where that has no room.
std::string row(const std::string& typed, std::string_view doc) {
  const std::string indent(help_column, ' ');
  const std::string first = "  " + typed;
  const bool is_short = first.size() + 2 <= help_column;
  std::string text = is_short ? "" : first + "\n";
  for (const std::string& line :
       text::wrapped(doc, width, is_short ? first + std::string(help_column - first.size(), ' ') : indent, indent)) {
    text += line + "\n";
  }
  return text;
}

std::string options_text(const Subcommand& command, const Options& so_far) {
  std::string text;
  std::string_view group;
  for (const Option* option : options_of(command)) {
    if (option->group != group) {
      group = option->group;
      text += "\n" + std::string(group) + ":\n";
    }
    const std::string value = placeholder(option->value, so_far);
    const std::string letter = option->letter.empty() ? "" : std::string(option->letter) + ",";
    text += row(letter + std::string(option->name) + (value.empty() ? "" : " " + value), option->doc);
  }
  return text;
}

std::string commands_text() {
  std::string text;
  std::string group;
  for (const Subcommand& command : subcommands()) {
    if (!command.group.empty()) {
      text += command.group == group ? "" : "\n" + command.group + ":\n";
      group = command.group;
      text += row(command.name, command.summary);
    }
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

}  // namespace

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
  const bool is_choice = command.argument.find('|') != std::string::npos;
  const std::string argument = command.argument.empty() ? ""
                               : is_choice              ? " " + command.argument
                                                        : " " + command.argument + "...";
  std::string text = command.summary + "\nUsage: " + line_of(command) + " [OPTIONS]" +
                     (line.command == nullptr ? " [CHAPTER]" : argument) + "\n";
  if (!argument.empty()) {
    text += "\nArguments:\n" + row(argument.substr(1), command.argument_doc);
  }
  text += options_text(command, understood(line));
  text += line.command == nullptr ? commands_text() + guides_text() : "";
  text += remark_text(command.remark);
  text += command.examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const std::string& example : command.examples) {
    text += "  " + example + "\n";
  }
  return text;
}

}  // namespace attn::cli
