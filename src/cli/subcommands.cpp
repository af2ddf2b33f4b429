#include "chapters/layer/layer.hpp"
#include "cli/option.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

std::vector<Subcommand> chapter_commands() {
  std::vector<Subcommand> commands;
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    const std::string name(chapter.name);
    if (commands.empty() || commands.back().name != name) {
      commands.push_back({.name = name,
                          .summary = std::string(chapters::topic_of(name).summary),
                          .taker = by_chapter,
                          .command = Command::walk,
                          .entries = entries_of(name),
                          .examples = {"attn-walkthrough " + name + " --seed 123 --steps all"}});
    }
  }
  return commands;
}

std::vector<Subcommand> other_commands() {
  return {
      {.name = "all",
       .summary = "all chapters of an article, in order",
       .taker = by_all,
       .command = Command::walk,
       .examples = {"attn-walkthrough all --article book"}},
      {.name = "tour",
       .summary = "all chapters, one after the other, with introductions",
       .taker = by_tour,
       .command = Command::walk,
       .remark = "On a terminal, tour presents one step at a time. Otherwise it prints the steps as --explain does. To "
                 "present one article, with all options, use attn-walkthrough all --step.",
       .examples = {"attn-walkthrough tour"}},
      {.name = "layer",
       .summary = "the attention of one layer of a checkpoint",
       .taker = by_layer,
       .command = Command::walk,
       .remark =
           "The checkpoint is a .safetensors file of " +
           text::joined(names_in(chapters::layer::models(), [](const auto& model) { return model.article.title; })) +
           ". --inputs are the hidden states that enter the layer, [tokens, d] or [batch, tokens, d]; for layer 0, "
           "--sentence has words that the model embeds.",
       .examples = {"attn-walkthrough layer --weights model.safetensors --layer 0 --inputs x.npy",
                    "attn-walkthrough layer --weights model.safetensors --sentence \"Your journey starts\""}},
      {.name = "list",
       .summary = "list chapters and articles, steps, or rules",
       .taker = by_list,
       .command = Command::list,
       .argument = "chapters|articles|steps|rules",
       .argument_doc =
           "what to list (default: chapters); steps may be followed by a chapter; rules are those of --what-if",
       .examples = {"attn-walkthrough list rules"}},
      {.name = "verify",
       .summary = "check the tensors on a page or in a port",
       .taker = by_verify,
       .command = Command::verify,
       .argument = "FILE",
       .argument_doc =
           "a page (text, Markdown, HTML, a notebook, a terminal log, or - for standard input), or a port's "
           "tensors (a file or a folder)",
       .remark =
           "The options under Inputs, Weights, Dropout and Kernels describe the program to check. If one is not given, "
           "verify tries several values for a page, and uses the article's for a port.",
       .examples = {"attn-walkthrough causal | attn-walkthrough verify -",
                    "attn-walkthrough verify steps.npz --chapter causal"}},
      {.name = "help",
       .summary = "show a guide, or the help of a command",
       .taker = by_others,
       .command = Command::help,
       .argument = "GUIDE|COMMAND",
       .argument_doc = "a guide, or a command (default: the help of the program)",
       .examples = {"attn-walkthrough help ports"}},
      {.name = "completion",
       .summary = "print a shell's completion script",
       .taker = by_others,
       .command = Command::completion,
       .argument = "bash|fish|zsh",
       .argument_doc = "the shell",
       .examples = {"source <(attn-walkthrough completion bash)", "attn-walkthrough completion fish | source"}},
  };
}

}  // namespace

const std::vector<Subcommand>& subcommands() {
  static const std::vector<Subcommand> table = [] {
    std::vector<Subcommand> all = chapter_commands();
    const std::vector<Subcommand> others = other_commands();
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }();
  return table;
}

const Subcommand& program() {
  static const Subcommand row = {
      .name = "",
      .summary =
          "Prints every tensor of the attention mechanism exactly as PyTorch prints it.\n"
          "Each chapter follows an article's program.",
      .taker = by_program,
      .examples = {"attn-walkthrough simplified              attention without weights",
                   "attn-walkthrough causal --explain        what each step does",
                   "attn-walkthrough multihead --steps all   every tensor of every head",
                   "attn-walkthrough verify page.html        check the numbers on a page",
                   "attn-walkthrough help ports              check attention in your own code",
                   "attn-walkthrough help                    all commands and options"}};
  return row;
}

std::string line_of(const Subcommand& command) {
  return "attn-walkthrough" + (command.name.empty() ? "" : " " + command.name);
}

const chapters::Article& article_named(const std::string& name) {
  const auto& all = chapters::all_articles();
  return std::ranges::find_if(all, [&name](const chapters::Article& one) { return one.name == name; })->get();
}

std::vector<const chapters::Chapter*> entries_of(const std::string& name) {
  std::vector<const chapters::Chapter*> entries;
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    if (chapter.name == name) {
      entries.push_back(&chapter);
    }
  }
  return entries;
}

}  // namespace attn::cli
