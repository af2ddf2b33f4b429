#include "cli/options.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/parser.hpp"
#include "cli/text.hpp"

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

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The text before a "=": "--sead=5" is about --sead.
std::string option_part(const std::string& argument) { return argument.substr(0, argument.find('=')); }

/// One command of the program, with what its options say.
struct Subcommand {
  Options options;
  CLI::App* app = nullptr;
  std::unique_ptr<Parser> parser;
};

using Subcommands = std::vector<std::unique_ptr<Subcommand>>;

template <class CommandParser, class... Arguments>
void add_subcommand(CLI::App& program, Subcommands& subcommands, const std::string& group, const std::string& name,
                    std::string_view description, Arguments... arguments) {
  auto subcommand = std::make_unique<Subcommand>();
  subcommand->app = program.add_subcommand(name, std::string(description));
  subcommand->app->group(group);
  subcommand->app->allow_extras();
  subcommand->parser = std::make_unique<CommandParser>(*subcommand->app, arguments..., subcommand->options);
  // A command's options take longer to build than a chapter to compute: only for the one that is asked for.
  subcommand->app->preparse_callback([parser = subcommand->parser.get()](std::size_t) { parser->add_options(); });
  subcommands.push_back(std::move(subcommand));
}

Subcommands add_subcommands(CLI::App& program) {
  Subcommands subcommands;
  std::string last_name;
  for (const chapters::ChapterEntry& chapter : chapters::all_chapters()) {
    const std::string name(chapter.name);
    if (name != last_name) {
      add_subcommand<ChapterParser>(program, subcommands, "Chapters", name, chapters::chapter_summary(name), name);
    }
    last_name = name;
  }
  add_subcommand<AllParser>(program, subcommands, "Commands", "all", "all chapters of an article, in order");
  add_subcommand<ListParser>(program, subcommands, "Commands", "list", "the table of chapters and articles");
  add_subcommand<VerifyParser>(program, subcommands, "Commands", "verify", "which of a page's printed tensors hold");
  return subcommands;
}

/// Complains about the first argument that a command could not use.
[[noreturn]] void throw_unexpected(const Subcommands& subcommands, const Subcommand& chosen,
                                   const std::string& argument) {
  const std::string command = chosen.app->get_name();
  const std::string help = "see attn-walkthrough " + command + " --help";
  if (argument.empty() || argument[0] != '-') {
    throw UsageError("'" + argument + "' is not expected after " + command + "; accepted are options; " + help);
  }
  const std::string name = option_part(argument);
  const auto names = option_names(*chosen.app);
  if (contains(names, name)) {
    throw UsageError(name + " stands where no option is read; accepted are options before --; leave -- out");
  }
  std::vector<std::string> elsewhere;
  for (const auto& other : subcommands) {
    if (other.get() != &chosen) {
      other->parser->add_options();
    }
    if (contains(option_names(*other->app), name)) {
      elsewhere.push_back(other->app->get_name());
    }
  }
  if (!elsewhere.empty()) {
    throw UsageError(name + " has no meaning in " + command + "; it is accepted in " + joined(elsewhere) + "; " +
                     help);
  }
  const std::string near = nearest(name, names);
  throw UsageError("there is no option " + name + "; " + (near.empty() ? "" : "the nearest is " + near + "; ") + help);
}

[[noreturn]] void throw_no_command(const Subcommands& subcommands, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const auto& subcommand : subcommands) {
    names.push_back(subcommand->app->get_name());
  }
  const std::string accepted = "accepted are " + joined(names) + "; ";
  if (arguments[0].starts_with("-")) {
    throw UsageError("no chapter before " + option_part(arguments[0]) + "; " + accepted +
                     "try attn-walkthrough causal " + option_part(arguments[0]));
  }
  const std::string near = nearest(arguments[0], names);
  throw UsageError("there is no chapter '" + arguments[0] + "'; " + accepted +
                   (near.empty() ? "see attn-walkthrough --help" : "try attn-walkthrough " + near));
}

/// What CLI11 says of a missing value, or of a value where none belongs, in the form of our own errors.
std::string explanation(const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const std::string message = error.what();
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
    return message;
  }
  const std::string name = (message.starts_with("-") ? "" : "--") + message.substr(0, message.find_first_of(": "));
  for (const std::string& argument : arguments) {
    if (argument.starts_with(name + "=")) {
      return "'" + argument + "': " + name + " takes no value; accepted is " + name + " alone";
    }
  }
  return dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr
             ? name + " needs a value; see attn-walkthrough CHAPTER --help"
             : message + "; see attn-walkthrough --help";
}

Options message_options(const std::string& message) {
  Options options;
  options.message = message;
  return options;
}

}  // namespace

Options parse(int argc, const char* const* argv) {
  CLI::App program(program_description, "attn-walkthrough");
  program.set_version_flag("--version", "attn-walkthrough " ATTN_VERSION, "Print the version and exit");
  program.allow_extras();
  program.require_subcommand(0, 1);
  program.footer(program_footer);
  program.get_formatter()->column_width(34);
  program.get_formatter()->label("SUBCOMMAND", "CHAPTER");
  const Subcommands subcommands = add_subcommands(program);

  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return message_options(program.help());
  } catch (const CLI::CallForVersion& version) {
    return message_options(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    throw UsageError(explanation(error, {argv, argv + argc}));
  }

  for (const auto& subcommand : subcommands) {
    if (!subcommand->app->parsed()) {
      continue;
    }
    const std::vector<std::string> extras = program.remaining(true);
    if (!extras.empty()) {
      throw_unexpected(subcommands, *subcommand, extras[0]);
    }
    subcommand->parser->finish();
    return subcommand->options;
  }
  if (argc > 1) {
    throw_no_command(subcommands, program.remaining());
  }
  return message_options(program.help());
}

}  // namespace attn::cli
