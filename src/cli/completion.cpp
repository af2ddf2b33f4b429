#include "cli/completion.hpp"

#include <map>

#include "cli/option_rows.hpp"

namespace attn::cli {
namespace {

// Readline splits "--article=bo" into three words. The script joins them, and removes the part that Readline keeps from
// the candidates.
constexpr auto bash_script =
    R"script(# Completions of attn-walkthrough for bash: source <(attn-walkthrough completion bash)

_attn_walkthrough() {
  local rest=${COMP_LINE:0:COMP_POINT} trimmed word i
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    trimmed=${rest#"${rest%%[![:space:]]*}"}
    word=${COMP_WORDS[i]}
    ((i < COMP_CWORD)) || word=$trimmed
    if ((i > 0)) && [[ -n $trimmed && $trimmed == "$rest" ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    rest=${trimmed#"$word"}
  done

  local last=${words[${#words[@]} - 1]} replaced=$word
  [[ $word == *[!=:]* ]] || replaced=
  local kept=${last%"$replaced"}
  words=("${words[@]//[\"\'\\]/}")
  last=${words[${#words[@]} - 1]}

  local kind text about file
  COMPREPLY=()
  while IFS=$'\t' read -r kind text about; do
    case $kind in
      word) COMPREPLY+=("${text#"$kept"}") ;;
      part)
        COMPREPLY+=("${text#"$kept"}")
        compopt -o nospace 2>/dev/null # which old ones lack
        ;;
      files | folders)
        while IFS= read -r file; do
          COMPREPLY+=("${file/#/"${text#"$kept"}"}")
          compopt -o filenames 2>/dev/null
        done < <(compgen -A "$([[ $kind == files ]] && echo file || echo directory)" -- "${last#"$text"}")
        ;;
    esac
  done < <("${words[0]/#\~\//$HOME/}" complete -- "${words[@]:1}" </dev/null 2>/dev/null)
}

complete -F _attn_walkthrough attn-walkthrough
)script";

constexpr auto zsh_script = R"script(#compdef attn-walkthrough
# Completions of attn-walkthrough for zsh: source <(attn-walkthrough completion zsh), after compinit

_attn-walkthrough() {
  local program=${(Q)words[1]} begun=${(Q)PREFIX} line
  local -a fields whole parts files
  program=${program/#\~\//$HOME/}
  for line in "${(@f)$("$program" complete -- "${(@Q)words[2,CURRENT-1]}" "$begun" </dev/null 2>/dev/null)}"; do
    fields=("${(@ps:\t:)line}")
    case $fields[1] in
      word) whole+=("${fields[2]//:/\\:}${fields[3]:+:$fields[3]}") ;;
      part) parts+=("${fields[2]//:/\\:}${fields[3]:+:$fields[3]}") ;;
      files | folders) files+=("$fields[1]" "$fields[2]") ;;
    esac
  done

  local found=1 kind before
  (( $#whole )) && _describe -V '' whole && found=0
  (( $#parts )) && _describe -V '' parts -S '' && found=0
  for kind before in "${files[@]}"; do
    compset -P "${(b)before}"
    if [[ $kind == files ]]; then
      _files && found=0
    else
      _files -/ && found=0
    fi
  done
  return found
}

if [[ ${funcstack[1]} == _attn-walkthrough ]]; then
  _attn-walkthrough "$@"
else
  compdef _attn-walkthrough attn-walkthrough
fi
)script";

constexpr auto fish_script =
    R"script(# Completions of attn-walkthrough for fish: attn-walkthrough completion fish | source

function __attn_walkthrough_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct | string replace -r '^["\']' '')
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    set -l lines (command $program complete -- $words[2..-1] "$last" </dev/null 2>/dev/null)
    # Nothing but the beginning of a word: what follows it, so that no space does.
    if test (count $lines) -eq 1; and string match -q "part*[	*" -- $lines
        set last (string split \t -- $lines)[2]
        set lines (command $program complete -- $words[2..-1] "$last" </dev/null 2>/dev/null)
    end
    for line in $lines
        set -l fields (string split \t -- $line)
        switch $fields[1]
            case word part
                printf '%s\t%s\n' $fields[2] "$fields[3]"
            case files
                for file in (__fish_complete_path (string sub -s (math 1 + (string length -- "$fields[2]")) -- $last))
                    printf '%s\n' $fields[2]$file
                end
            case folders
                for file in (__fish_complete_directories (string sub -s (math 1 + (string length -- "$fields[2]")) -- $last) '')
                    printf '%s\n' $fields[2]$file
                end
        end
    end
end

complete -c attn-walkthrough -f -k -a '(__attn_walkthrough_complete)'
)script";

const std::map<std::string, const char*>& scripts() {
  static const std::map<std::string, const char*> table = {
      {"bash", bash_script}, {"fish", fish_script}, {"zsh", zsh_script}};
  return table;
}

}  // namespace

std::vector<std::string> shells() { return words_of(scripts()); }

const char* completion_script(const std::string& shell) {
  const auto found = scripts().find(shell);
  return found == scripts().end() ? nullptr : found->second;
}

}  // namespace attn::cli
