#include <algorithm>
#include <iterator>

#include "chapters/layer/layer.hpp"
#include "cli/help.hpp"
#include "cli/option.hpp"
#include "cli/option_rows.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

constexpr auto chapters_group = "Chapters";
constexpr auto commands_group = "Commands";

const std::vector<std::string> examples = {
    "attn-walkthrough causal --seed 123        print the numbers of the article",
    "attn-walkthrough multihead --steps all    print every tensor of every head",
    "attn-walkthrough causal --save steps      save every tensor as a .npy file",
    "attn-walkthrough verify page.html         check the tensors on a page",
    "attn-walkthrough CHAPTER --help           show a chapter's options",
};

std::vector<Subcommand> chapter_commands() {
  std::vector<Subcommand> commands;
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    const std::string name(chapter.name);
    if (commands.empty() || commands.back().name != name) {
      commands.push_back({.name = name,
                          .summary = std::string(chapters::chapter_summary(name)),
                          .group = chapters_group,
                          .taker = by_chapter,
                          .command = Command::walk,
                          .entries = entries_of(name),
                          .examples = {"attn-walkthrough " + name + " --seed 123 --steps all"}});
    }
  }
  return commands;
}

/// The guides, and the commands whose name is not that of a guide.
std::vector<std::string> help_topics() {
  std::vector<std::string> names = names_in(guides(), &Guide::name);
  for (const Subcommand& command : subcommands()) {
    if (find_guide(command.name) == nullptr) {
      names.push_back(command.name);
    }
  }
  return names;
}

std::string guides_listed() {
  std::string text = "Guides:";
  for (const Guide& guide : guides()) {
    text += "\n  " + std::string(guide.name) + ": " + std::string(title(guide));
  }
  return text;
}

std::vector<Subcommand> other_commands() {
  return {
      {.name = "all",
       .summary = "all chapters of an article, in order",
       .group = commands_group,
       .taker = by_all,
       .command = Command::walk,
       .examples = {"attn-walkthrough all --article book"}},
      {.name = "tour",
       .summary = "all chapters, one after the other, with introductions",
       .group = commands_group,
       .taker = by_tour,
       .command = Command::walk,
       .remark = "On a terminal, tour presents one step at a time. Otherwise it prints the steps as --explain does. To "
                 "present one article, with all options, use attn-walkthrough all --step.",
       .examples = {"attn-walkthrough tour"}},
      {.name = "layer",
       .summary = "the attention of one layer of a checkpoint",
       .group = commands_group,
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
       .group = commands_group,
       .taker = by_list,
       .command = Command::list,
       .argument = "chapters|articles|steps|rules",
       .argument_doc =
           "what to list (default: chapters); steps may be followed by a chapter; rules are those of --what-if",
       .choices =
           [] {
             return std::vector<std::string>{"chapters", "articles", "steps", "rules"};
           },
       .examples = {"attn-walkthrough list rules"}},
      {.name = "verify",
       .summary = "check the tensors on a page or in a port",
       .group = commands_group,
       .taker = by_verify,
       .command = Command::verify,
       .argument = "FILE",
       .argument_doc =
           "a page (text, Markdown, HTML, a notebook, a terminal log, or - for standard input), or a port's "
           "tensors (a file or a folder)",
       .remark =
           "The options under Inputs, Weights, Dropout and Kernels describe the program to check. If one is not given, "
           "verify tries several values for a page, and uses the article's for a port.",
       .also = "Exit code 0: no tensor on the page is wrong and, with --strict, each is known in full; every tensor of "
               "a port is "
               "recognised and right, except those that --ignore names. 1: a check failed. 2: the file is unreadable "
               "or has no tensors.",
       .examples = {"attn-walkthrough causal | attn-walkthrough verify -",
                    "attn-walkthrough verify steps.npz --chapter causal"}},
      {.name = "help",
       .summary = "show a guide, or the help of a command",
       .group = commands_group,
       .taker = by_others,
       .command = Command::help,
       .argument = "GUIDE|COMMAND",
       .argument_doc = "a guide, or a command (default: the help of the program)",
       .choices = help_topics,
       .also = guides_listed(),
       .examples = {"attn-walkthrough help ports"}},
      {.name = "completion",
       .summary = "print a shell's completion script",
       .group = commands_group,
       .taker = by_others,
       .command = Command::completion,
       .argument = text::joined(shells(), "|"),
       .argument_doc = "the shell",
       .choices = shells,
       .examples = {"source <(attn-walkthrough completion bash)", "attn-walkthrough completion fish | source"}},
  };
}

/// Rows under a heading, taken by `takers`, unless a row says otherwise.
struct OptionGroup {
  std::string_view heading;
  unsigned takers;
  std::vector<Option> (*rows)();
};

constexpr OptionGroup option_groups[] = {{group::general, by_program | by_all_commands, general_options},
                                         {group::shown, by_walks, shown_options},
                                         {group::classroom, by_walks, classroom_options},
                                         {group::page, by_verify, page_options},
                                         {group::port, by_verify, port_options},
                                         {group::output, by_walks, output_options},
                                         {group::layer, by_layer, layer_options},
                                         {group::inputs, by_lessons, setting_options},
                                         {group::kernels, by_walks, thread_options}};

/// The order of the headings in the help.
constexpr std::string_view headings[] = {group::general, group::shown,   group::classroom, group::page,
                                         group::port,    group::output,  group::layer,     group::inputs,
                                         group::weights, group::dropout, group::kernels,   group::printing};

}  // namespace

const std::vector<Option>& all_options() {
  static const std::vector<Option> rows = [] {
    std::vector<Option> all;
    for (const OptionGroup& group : option_groups) {
      for (Option& row : group.rows()) {
        row.group = row.group.empty() ? group.heading : row.group;
        row.takers = row.takers == 0 ? group.takers : row.takers;
        all.push_back(std::move(row));
      }
    }
    std::ranges::stable_sort(all, {}, [](const Option& row) { return std::ranges::find(headings, row.group); });
    return all;
  }();
  return rows;
}

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
          "Prints every intermediate tensor of the attention mechanism exactly as PyTorch prints it.\n"
          "Each chapter follows an article's program.",
      .group = "",
      .taker = by_program,
      .examples = examples};
  return row;
}

bool takes(const Subcommand& command, const Option& option) {
  const auto takes_it = [&option](const chapters::Chapter* entry) { return option.taken(entry->takes); };
  return (option.takers & command.taker) != 0 &&
         (command.entries.empty() || !option.taken || std::ranges::any_of(command.entries, takes_it));
}

std::vector<const Option*> options_of(const Subcommand& command) {
  std::vector<const Option*> options;
  for (const Option& option : all_options()) {
    if (takes(command, option)) {
      options.push_back(&option);
    }
  }
  return options;
}

const Option* find_option(const Subcommand& command, std::string_view name) {
  const auto found = std::ranges::find_if(all_options(), [&](const Option& option) {
    return (option.name == name || (!option.letter.empty() && option.letter == name)) && takes(command, option);
  });
  return found == all_options().end() ? nullptr : &*found;
}

Options nothing_read(const Subcommand& command) {
  Options options;
  options.name = command.name;
  options.chapters = command.entries;
  if (command.taker == by_layer) {
    for (const chapters::layer::Model& model : chapters::layer::models()) {
      options.chapters.push_back(&model.article.chapters.front());
    }
  }
  return options;
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
