#include "cli/help.hpp"

#include <algorithm>
#include <functional>

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

std::string paragraph(const std::string& text) {
  return text.empty() ? "" : "\n" + text::joined(text::wrapped(text, width, "", ""), "\n") + "\n";
}

/// The chapters, or the other commands.
std::vector<Subcommand> commands(bool are_chapters) {
  std::vector<Subcommand> all = subcommands();
  std::erase_if(all, [=](const Subcommand& one) { return (one.taker == by_chapter) != are_chapters; });
  return all;
}

std::string_view title(const Guide& guide) { return guide.text.substr(2, guide.text.find('\n') - 2); }

/// " FILE...", " steps|rules"; empty if the command takes no argument.
std::string argument_of(const Subcommand& command) {
  const bool is_choice = command.argument.find('|') != std::string::npos;
  return command.argument.empty() ? "" : " " + command.argument + (is_choice ? "" : "...");
}

/// The command's summary and usage.
std::string opening(const Subcommand& command) {
  return command.summary + "\n\nUsage: " + line_of(command) + " [OPTIONS]" +
         (&command == &program() ? " [CHAPTER]" : argument_of(command)) + "\n";
}

/// A heading, and a row for each element: its name, and what `words` makes of it.
template <class Range, class Words>
std::string rows(const std::string& heading, const Range& range, Words words) {
  std::string text = "\n" + heading + ":\n";
  for (const auto& one : range) {
    text += row(std::string(one.name), std::invoke(words, one));
  }
  return text;
}

}  // namespace

std::string short_help(const Subcommand& command, const Options& so_far) {
  constexpr std::size_t few = 12;
  const bool is_program = &command == &program();
  const std::vector<const Option*> options = options_of(is_program ? subcommands().front() : command);
  if (options.size() <= few) {
    return help(command, so_far);
  }
  std::string text = opening(command);
  if (is_program) {
    text += paragraph("Chapters: " + text::joined(names_in(commands(true), &Subcommand::name))) +
            paragraph("Commands: " + text::joined(names_in(commands(false), &Subcommand::name)));
  }
  text += std::string("\nCommon options") + (is_program ? " of a chapter" : "") + ":\n";
  for (const Option* option : options) {
    const std::string word(option->value.placeholder);
    text += !option->is_common ? "" : option_row(*option, word.empty() ? placeholder(option->value, so_far) : word);
  }
  return text + paragraph("More: " + line_of(command) + " --help" + (is_program ? ", CHAPTER --help," : ",") +
                          " attn-walkthrough help GUIDE (" + text::joined(names_in(guides(), &Guide::name)) + ")");
}

std::string first_words() { return program().summary + "\n\n  " + text::joined(program().examples, "\n  ") + "\n"; }

std::string help(const Subcommand& command, const Options& so_far) {
  std::string text = opening(command);
  if (!command.argument.empty()) {
    text += "\nArguments:\n" + row(argument_of(command).substr(1), command.argument_doc);
  }
  text += options_text(command, so_far);
  if (&command == &program()) {
    text += rows("Chapters", commands(true), &Subcommand::summary) +
            rows("Commands", commands(false), &Subcommand::summary) +
            rows("Guides, shown by attn-walkthrough help GUIDE", guides(), title);
  }
  return text + paragraph(command.remark) + "\nExamples:\n  " + text::joined(command.examples, "\n  ") + "\n";
}

const Guide* find_guide(std::string_view name) {
  const auto found = std::ranges::find(guides(), name, &Guide::name);
  return found == guides().end() ? nullptr : &*found;
}

std::string shown(const Guide& guide) {
  std::string text = std::string(title(guide)) + "\n";
  bool is_code = false;
  for (const std::string& line : text::lines_of(std::string(guide.text.substr(guide.text.find('\n') + 1)))) {
    if (line.starts_with("```")) {
      is_code = !is_code;
    } else {
      text += (is_code && !line.empty() ? "    " : "") + line + "\n";
    }
  }
  return text;
}

namespace {

/// The names of a command's options: "--seed", "-o".
std::string option_names(const Subcommand& command) {
  std::vector<std::string> names;
  for (const Option* option : options_of(command)) {
    names.emplace_back(option->name);
    option->letter.empty() ? void() : void(names.emplace_back(option->letter));
  }
  return text::joined(names, " ");
}

std::string command_names() { return text::joined(names_in(subcommands(), &Subcommand::name), " "); }

/// A shell's case for each command: what `line` makes of the names of its options.
template <class Line>
std::string cases(Line line) {
  std::string text;
  for (const Subcommand& command : subcommands()) {
    text += "    " + command.name + ") " + line(option_names(command)) + " ;;\n";
  }
  return text;
}

std::string bash_script() {
  return "# Completions of attn-walkthrough for bash: source <(attn-walkthrough completion bash)\n"
         "_attn_walkthrough() {\n"
         "  local names='" +
         command_names() + " " + option_names(program()) +
         "'\n"
         "  ((COMP_CWORD == 1)) || case ${COMP_WORDS[1]} in\n" +
         cases([](const std::string& names) { return "names='" + names + "'"; }) +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$names\" -- \"$2\"))\n"
         "}\n"
         "complete -o default -F _attn_walkthrough attn-walkthrough\n";
}

std::string zsh_script() {
  return "#compdef attn-walkthrough\n"
         "# Completions of attn-walkthrough for zsh: source <(attn-walkthrough completion zsh), after compinit\n"
         "_attn-walkthrough() {\n"
         "  local -a names=(" +
         command_names() + " " + option_names(program()) +
         ")\n"
         "  (( CURRENT == 2 )) || case $words[2] in\n" +
         cases([](const std::string& names) { return "names=(" + names + ")"; }) +
         "  esac\n"
         "  if [[ $PREFIX == -* || CURRENT -eq 2 ]]; then compadd -- $names; else _files; fi\n"
         "}\n"
         "if [[ ${funcstack[1]} == _attn-walkthrough ]]; then _attn-walkthrough \"$@\"; else\n"
         "  compdef _attn-walkthrough attn-walkthrough\n"
         "fi\n";
}

std::string fish_script() {
  std::string text =
      "# Completions of attn-walkthrough for fish: attn-walkthrough completion fish | source\n"
      "complete -c attn-walkthrough -n __fish_use_subcommand -f -a '" +
      command_names() + " " + option_names(program()) + "'\n";
  for (const Subcommand& command : subcommands()) {
    text += "complete -c attn-walkthrough -n '__fish_seen_subcommand_from " + command.name + "' -a '" +
            option_names(command) + "'\n";
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell) {
  return shell == "bash" ? bash_script() : shell == "zsh" ? zsh_script() : fish_script();
}

}  // namespace attn::cli
