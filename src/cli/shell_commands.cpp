#include "cli/shell_commands.hpp"

#include "cli/completion.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"

namespace attn::cli {

void ManParser::add_options() { footer("Example:\n  attn-walkthrough man | man -l -"); }

void ManParser::finish() { options_.command = Command::man; }

void CompletionParser::add_options() {
  add_files(text::joined(shells(), "|"), "whose completions", shells_);
  footer(
      "Examples:\n"
      "  source <(attn-walkthrough completion bash)\n"
      "  attn-walkthrough completion fish > ~/.config/fish/completions/attn-walkthrough.fish");
}

void CompletionParser::finish() {
  const std::vector<std::string>& known = shells();
  const std::string accepted = "; accepted are " + text::joined(known);
  if (shells_.size() != 1) {
    throw UsageError("completion needs one shell" + accepted + "; try attn-walkthrough completion " + known.front());
  }
  const std::string& shell = shells_.front();
  if (completion_script(shell) == nullptr) {
    const std::string near = text::nearest(shell, known);
    throw UsageError("there are no completions for '" + shell + "'" + accepted + "; try attn-walkthrough completion " +
                     (near.empty() ? known.front() : near));
  }
  options_.command = Command::completion;
  options_.words = shells_;
}

void CompleteParser::add_options() {
  add_files("WORD", "what stands after the program's name, up to the cursor; after --", options_.words);
  footer("Example:\n  attn-walkthrough complete -- causal --only attn");
}

void CompleteParser::finish() { options_.command = Command::complete; }

}  // namespace attn::cli
