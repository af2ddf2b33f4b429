#include "cli/help.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "cli/option.hpp"
#include "cli/option_rows.hpp"
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
std::string opening(const Subcommand& command) {
  return remark_text(command.summary).substr(1) + "Usage: " + line_of(command) + " [OPTIONS]" +
         (&command == &program() ? " [CHAPTER]" : argument_of(command)) + "\n";
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

std::string short_help(const Subcommand& command, const Options& so_far) {
  constexpr std::size_t few = 12;
  const bool is_program = &command == &program();
  const Subcommand& told = is_program ? subcommands().front() : command;
  const std::vector<const Option*> options = options_of(told);
  if (options.size() <= few) {
    return help(command, so_far);
  }
  std::string text = opening(command) + (is_program ? "\n" + command_names_text() : "");
  text += std::string("\nCommon options") + (is_program ? " of a chapter" : "") + ":\n";
  for (const Option* option : options) {
    const std::string word(option->value.placeholder);
    text += !option->is_common ? "" : option_row(*option, word.empty() ? placeholder(option->value, so_far) : word);
  }
  return text + remark_text("More: " + line_of(command) + " --help" + (is_program ? ", CHAPTER --help," : ",") +
                            " attn-walkthrough help GUIDE (" + text::joined(names_in(guides(), &Guide::name)) + ")");
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

std::string help(const Subcommand& command, const Options& so_far) {
  std::string text = opening(command);
  if (!command.argument.empty()) {
    text += "\nArguments:\n" + row(argument_of(command).substr(1), command.argument_doc);
  }
  text += options_text(command, so_far);
  text += &command == &program() ? commands_text() + guides_text() : "";
  text += remark_text(command.remark) + remark_text(command.also);
  text += command.examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const std::string& example : command.examples) {
    text += "  " + example + "\n";
  }
  return text;
}

const Guide* find_guide(std::string_view name) {
  const auto found = std::ranges::find(guides(), name, &Guide::name);
  return found == guides().end() ? nullptr : &*found;
}

std::string_view title(const Guide& guide) { return guide.text.substr(2, guide.text.find('\n') - 2); }

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

/// A word of fish in quotes.
std::string in_quotes(std::string_view words) {
  std::string text = "'";
  for (const char c : words) {
    text += c == '\'' || c == '\\' ? "\\" : "";
    text += c;
  }
  return text + "'";
}

std::string fish_option(const Option& option, const std::string& condition) {
  const bool is_long = option.name.starts_with("--");
  const std::string_view letter = is_long ? option.letter : option.name;
  return "complete -c attn-walkthrough -n " + condition +
         (letter.empty() ? "" : " -s " + std::string(letter.substr(1))) +
         (is_long ? " -l " + std::string(option.name.substr(2)) : "") +
         (option.value.kind == ValueKind::flag ? "" : " -r") + " -d " + in_quotes(option.doc) + "\n";
}

std::string fish_script() {
  std::string text = "# Completions of attn-walkthrough for fish: attn-walkthrough completion fish | source\n";
  for (const Option* option : options_of(program())) {
    text += fish_option(*option, "__fish_use_subcommand");
  }
  for (const Subcommand& command : subcommands()) {
    text += "complete -c attn-walkthrough -n __fish_use_subcommand -f -a " + command.name + " -d " +
            in_quotes(command.summary) + "\n";
    for (const Option* option : options_of(command)) {
      text += fish_option(*option, "'__fish_seen_subcommand_from " + command.name + "'");
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> shells() { return {"bash", "fish", "zsh"}; }

std::string completion_script(const std::string& shell) {
  return shell == "bash" ? bash_script() : shell == "zsh" ? zsh_script() : fish_script();
}

}  // namespace attn::cli
