#include "cli/program.hpp"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/complaints.hpp"
#include "cli/parser.hpp"
#include "cli/shell_commands.hpp"

namespace attn::cli {
namespace {

constexpr auto program_description =
    "Prints every intermediate tensor of the attention mechanism, with the very numbers and the\n"
    "very layout that PyTorch prints. Each chapter follows an article's program.";

constexpr auto program_footer = R"(Examples:
  attn-walkthrough causal --seed 123        the blog's numbers, as its page prints them
  attn-walkthrough multihead --steps all    every tensor of every head
  attn-walkthrough causal --save steps      every tensor as a .npy file
  attn-walkthrough verify page.html         which of a page's printed tensors hold
  attn-walkthrough CHAPTER --help           what a chapter's options are)";

KnownOption known(const CLI::Option& option) {
  const auto& letters = option.get_snames();
  return {.name = "--" + option.get_lnames().at(0),
          .letter = letters.empty() ? "" : "-" + letters[0],
          .takes_value = option.get_items_expected_max() > 0,
          .placeholder = [&option] { return option.get_type_name(); },
          .help = option.get_description(),
          .group = option.get_group()};
}

/// The options of an application as CLI11 knows them, and whether it takes files.
Syntax syntax_of(const CLI::App& app, const std::string& help) {
  Syntax syntax;
  syntax.help = help;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      syntax.takes_files = true;
      syntax.argument = option->get_name();
      syntax.argument_help = option->get_description();
    } else {
      syntax.options.push_back(known(*option));
    }
  }
  return syntax;
}

}  // namespace

/// One command of the program, with what its options say.
struct Subcommand {
  Options options;
  CLI::App* app = nullptr;
  std::unique_ptr<Parser> parser;
  bool has_options = false;

  /// A command's options take longer to build than a chapter to compute: only for those that are asked for.
  Syntax syntax() {
    if (!std::exchange(has_options, true)) {
      parser->add_options();
    }
    return syntax_of(*app, "attn-walkthrough " + app->get_name() + " --help");
  }

  /// With those of the program that may stand anywhere.
  Syntax whole_syntax() {
    Syntax syntax = this->syntax();
    const CLI::App& program = *app->get_parent();
    for (const CLI::Option* option : program.get_options()) {
      if (option != program.get_help_ptr() && option != program.get_version_ptr()) {
        syntax.options.push_back(known(*option));
      }
    }
    return syntax;
  }
};

using Subcommands = std::vector<std::unique_ptr<Subcommand>>;

namespace {

template <class CommandParser, class... Arguments>
void add_subcommand(CLI::App& program, Subcommands& subcommands, const std::string& group, const std::string& name,
                    std::string_view description, Arguments... arguments) {
  auto subcommand = std::make_unique<Subcommand>();
  subcommand->app = program.add_subcommand(name, std::string(description));
  subcommand->app->group(group)->fallthrough();
  subcommand->parser = std::make_unique<CommandParser>(*subcommand->app, arguments..., subcommand->options);
  subcommands.push_back(std::move(subcommand));
}

Subcommands add_subcommands(CLI::App& program) {
  Subcommands subcommands;
  std::string last_name;
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    const std::string name(chapter.name);
    if (name != last_name) {
      add_subcommand<ChapterParser>(program, subcommands, "Chapters", name, chapters::chapter_summary(name), name);
    }
    last_name = name;
  }
  const auto add = [&]<class CommandParser>(const char* name, std::string_view description) {
    add_subcommand<CommandParser>(program, subcommands, "Commands", name, description);
  };
  add.operator()<AllParser>("all", "all chapters of an article, in order");
  add.operator()<ListParser>("list", "the table of chapters and articles");
  add.operator()<VerifyParser>("verify", "which of a page's printed tensors hold");
  add.operator()<ManParser>("man", "this program's manual page, for man -l -");
  add.operator()<CompletionParser>("completion", "the completions of a shell, as a script for it");
  add.operator()<CompleteParser>("complete", "what such a script asks: the words that may stand next");
  return subcommands;
}

KnownCommand known(Subcommand& subcommand) {
  return {subcommand.app->get_name(), [&subcommand] { return subcommand.whole_syntax(); }};
}

std::vector<KnownCommand> known(const Subcommands& subcommands) {
  std::vector<KnownCommand> commands;
  for (const auto& subcommand : subcommands) {
    commands.push_back(known(*subcommand));
  }
  return commands;
}

Subcommand* find(const Subcommands& subcommands, const std::string& name) {
  const auto found = std::find_if(subcommands.begin(), subcommands.end(),
                                  [&name](const auto& subcommand) { return subcommand->app->get_name() == name; });
  return found == subcommands.end() ? nullptr : found->get();
}

/// The arguments that are left to store.
struct Understood {
  Subcommand* subcommand = nullptr;
  std::vector<std::string> words;  ///< each value an argument of its own, and no files
};

Understood understood(const Syntax& syntax, const Subcommands& subcommands, std::span<const std::string> arguments) {
  const Arguments before = read_arguments(arguments, syntax);
  Understood result = {nullptr, before.options};
  if (before.read == arguments.size() && !before.after_dashes) {
    return result;
  }
  result.subcommand = before.after_dashes ? nullptr : find(subcommands, arguments[before.read]);
  if (result.subcommand == nullptr) {
    throw_no_command(known(subcommands), syntax, arguments, before);
  }
  const std::span<const std::string> rest = arguments.subspan(before.read + 1);
  const Arguments after = read_arguments(rest, result.subcommand->whole_syntax());
  if (after.read < rest.size()) {
    throw_unexpected(known(subcommands), known(*result.subcommand), syntax, rest, after);
  }
  result.words.push_back(arguments[before.read]);
  result.words.insert(result.words.end(), after.options.begin(), after.options.end());
  result.subcommand->parser->take_files(after.files);
  return result;
}

Options message_options(const std::string& message, bool pager) {
  Options options;
  options.message = message;
  options.pager = pager;
  return options;
}

}  // namespace

struct Program::Parts {
  CLI::App app{program_description, "attn-walkthrough"};
  Subcommands subcommands;
  bool pager = true;
  Subcommand* chosen = nullptr;
};

Program::Program() : parts_(std::make_unique<Parts>()) {
  CLI::App& app = parts_->app;
  app.set_version_flag("--version", "attn-walkthrough " ATTN_VERSION, "Print the version and exit");
  app.add_flag_callback(
         "--no-pager", [this] { parts_->pager = false; }, "Print long output as it is, also on a terminal")
      ->disable_flag_override();
  app.require_subcommand(0, 1);
  app.footer(program_footer);
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("SUBCOMMAND", "CHAPTER");
  parts_->subcommands = add_subcommands(app);
}

Program::~Program() = default;

Options Program::parse(std::span<const std::string> arguments) {
  CLI::App& app = parts_->app;
  const Understood given = understood(syntax(), parts_->subcommands, arguments);
  parts_->chosen = given.subcommand;
  try {
    app.parse(std::vector<std::string>(given.words.rbegin(), given.words.rend()));
  } catch (const CLI::CallForHelp&) {
    return message_options(app.help(), parts_->pager);
  } catch (const CLI::CallForVersion& version) {
    return message_options(std::string(version.what()) + "\n", false);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (given.subcommand == nullptr) {
    return message_options(app.help(), parts_->pager);
  }
  given.subcommand->parser->finish();
  given.subcommand->options.pager = parts_->pager;
  return given.subcommand->options;
}

Options Program::parse_beginning(std::span<const std::string> arguments) {
  try {
    parse(arguments);
  } catch (const std::exception&) {  // what it says so far is said
  }
  return parts_->chosen == nullptr ? Options() : parts_->chosen->options;
}

std::string Program::description() const { return parts_->app.get_description(); }

std::string Program::footer() const { return parts_->app.get_footer(); }

Syntax Program::syntax() const { return cli::syntax_of(parts_->app, "attn-walkthrough --help"); }

std::vector<CommandName> Program::commands() const {
  std::vector<CommandName> names;
  for (const auto& subcommand : parts_->subcommands) {
    const CLI::App& app = *subcommand->app;
    names.push_back({app.get_name(), app.get_description(), app.get_group()});
  }
  return names;
}

bool Program::has_command(const std::string& name) const { return find(parts_->subcommands, name) != nullptr; }

Syntax Program::syntax_of(const std::string& name, bool all) const {
  Subcommand& subcommand = *find(parts_->subcommands, name);
  return all ? subcommand.whole_syntax() : subcommand.syntax();
}

std::string Program::footer_of(const std::string& name) const {
  const Subcommand& subcommand = *find(parts_->subcommands, name);
  return subcommand.app->get_footer();
}

Options parse(int argc, const char* const* argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  return Program().parse(arguments);
}

}  // namespace attn::cli
