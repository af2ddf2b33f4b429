#include "cli/completion.hpp"

#include <string_view>

#include "cli/option.hpp"
#include "cli/option_rows.hpp"
#include "text/lines.hpp"

namespace attn::cli {
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
