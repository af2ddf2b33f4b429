#include "cli/parser.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/names.hpp"
#include "cli/rules.hpp"
#include "tensor/blas_kernels.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"

namespace attn::cli {
namespace {

constexpr std::int64_t most_size = 2147483647;  // BLAS counts with 32 bits

const std::map<std::string, bool> steps_names = {{"article", false}, {"all", true}};
const std::map<std::string, torch::SciMode> sci_mode_names = {{"auto", torch::SciMode::automatic},
                                                              {"on", torch::SciMode::on},
                                                              {"off", torch::SciMode::off}};

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
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
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

/// The commands other than `chosen` that have the option.
std::vector<std::string> commands_with(const std::string& option, const Subcommands& subcommands,
                                       const Subcommand* chosen) {
  std::vector<std::string> commands;
  for (const auto& other : subcommands) {
    if (other.get() == chosen) {
      continue;
    }
    other->parser->add_options();
    if (contains(option_names(*other->app), option)) {
      commands.push_back(other->app->get_name());
    }
  }
  return commands;
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
  const std::vector<std::string> elsewhere = commands_with(name, subcommands, &chosen);
  if (!elsewhere.empty()) {
    throw UsageError(name + " has no meaning in " + command + "; it is accepted in " + text::joined(elsewhere) + "; " +
                     help);
  }
  const std::string near = text::nearest(name, names);
  throw UsageError("there is no option " + name + "; " +
                   (near.empty() ? "accepted are those of " + command + "; " : "the nearest is " + near + "; ") + help);
}

/// Complains about an option where a chapter should be.
[[noreturn]] void throw_no_chapter(const CLI::App& program, const Subcommands& subcommands, const std::string& option,
                                   const std::string& accepted) {
  const std::vector<std::string> commands = commands_with(option, subcommands, nullptr);
  if (!commands.empty()) {
    throw UsageError("no chapter before " + option + "; " + accepted + "try attn-walkthrough " +
                     (contains(commands, "causal") ? "causal" : commands[0]) + " " + option);
  }
  std::vector<std::string> names = option_names(program);
  for (const auto& subcommand : subcommands) {
    const std::vector<std::string> more = option_names(*subcommand->app);
    names.insert(names.end(), more.begin(), more.end());
  }
  const std::string near = text::nearest(option, names);
  throw UsageError("there is no option " + option + ", and no chapter before it; " + accepted +
                   (near.empty() ? "" : "the nearest option is " + near + "; ") + "see attn-walkthrough --help");
}

[[noreturn]] void throw_no_command(const CLI::App& program, const Subcommands& subcommands) {
  const std::string argument = program.remaining()[0];
  std::vector<std::string> names;
  for (const auto& subcommand : subcommands) {
    names.push_back(subcommand->app->get_name());
  }
  const std::string accepted = "accepted are " + text::joined(names) + "; ";
  if (argument.starts_with("-")) {
    throw_no_chapter(program, subcommands, option_part(argument), accepted);
  }
  const std::string near = text::nearest(argument, names);
  throw UsageError("there is no chapter '" + argument + "'; " + accepted +
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

// ---- A command's options -------------------------------------------------------------------------

void Parser::add(const std::string& name, const std::string& placeholder, const std::string& help, const Store& store,
                 const Validator& check) {
  const auto store_last = [store](const CLI::results_t& texts) {
    store(texts.back());
    return true;
  };
  CLI::Option* option = app_.add_option(name, store_last, help)
                            ->type_name(placeholder)
                            ->group(group_)
                            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  if (check) {
    option->check(check);
  }
}

void Parser::placeholder(const std::string& name, const std::function<std::string()>& words) {
  app_.get_option(name)->type_name_fn(words);
}

void Parser::add_files(const std::string& placeholder, const std::string& help, std::vector<std::string>& target) {
  app_.add_option(placeholder, target, help)->type_name("");
}

void Parser::footer(const std::string& text) { app_.footer(text); }

std::optional<std::string> Parser::given(std::string_view name) const {
  if (name == app_.get_name()) {
    return "";
  }
  const CLI::Option* option = app_.get_option_no_throw(std::string(name));
  return option == nullptr || option->empty() ? std::nullopt : std::optional(option->results().back());
}

void Parser::check_rules() const {
  cli::check_rules([this](std::string_view name) { return given(name); });
}

void Parser::text(const std::string& name, const std::string& placeholder, const std::string& help,
                  std::optional<std::string>& target, const Validator& check) {
  add(name, placeholder, help, [&target](const std::string& text) { target = text; }, check);
}

template <class Target>
void Parser::bounded(const std::string& name, const std::string& help, Target& target, std::int64_t example,
                     std::int64_t least, std::int64_t most) {
  using Number = std::conditional_t<std::is_same_v<Target, int>, int, std::int64_t>;
  const auto store = [&target](const std::string& text) { target = static_cast<Number>(std::stoll(text)); };
  add(name, "N", help, store, whole_number(least, most, example));
}

void Parser::number(const std::string& name, const std::string& help, std::optional<std::int64_t>& target,
                    std::int64_t example) {
  bounded(name, help, target, example, 1, most_size);
}

void Parser::add_choice(const std::string& name, const std::string& help, const std::vector<std::string>& names,
                        const Store& store) {
  std::string placeholder;
  for (const std::string& word : names) {
    placeholder += (placeholder.empty() ? "" : "|") + word;
  }
  add(name, placeholder, help, store, [names](const std::string& text) {
    if (std::find(names.begin(), names.end(), text) != names.end()) {
      return std::string();
    }
    const std::string near = text::nearest(text, names);
    return "'" + text + "' is not known; accepted are " + text::joined(names) + "; try " +
           (near.empty() ? names.front() : near);
  });
}

void Parser::flag(const std::string& name, const std::string& help, bool& target, bool value) {
  app_.add_flag_callback(name, [&target, value] { target = value; }, help)->group(group_)->disable_flag_override();
}

void Parser::add_seed(torch::Seed& target) {
  const auto store = [&target](const std::string& text) { target = torch::parsed_seed(text).value(); };
  add("--seed", "N", "as torch.manual_seed: any 64-bit integer (123)", store, seed());
}

void Parser::add_kernels(const std::string& cpu) {
  group("Kernels");
  choice("--cpu", "which of PyTorch's two sets of CPU kernels to follow (" + cpu + ")", cpu_names(), cpu_);
  choice("--blas", "whose OpenBLAS kernels multiply (haswell)", blas_names(), blas_);
}

Kernels Parser::kernels(const chapters::Article& article) {
  const Blas blas = blas_.value_or(default_blas());
  if (runnable(blas) != blas) {
    options_.note = "this processor cannot run OpenBLAS's " + blas_name(blas) + " kernels; " +
                    blas_name(runnable(blas)) + "'s run in their place, and last digits may differ";
  }
  return {cpu_.value_or(article.cpu), blas};
}

void Parser::add_steps() {
  choice("--steps", "what the article prints, or every tensor (article)", steps_names, options_.all_steps);
}

void Parser::add_save(const std::string& help) { text("--save", "DIR", help, options_.save, folder_name()); }

void Parser::add_explain_and_heatmap() {
  flag("--explain", "under each step its shapes, why it is there, what to notice", options_.explain, true);
  flag("--heatmap", "numbers on coloured cells, named by the tokens", options_.heatmap, true);
}

void Parser::add_output() {
  const auto store = [this](const std::string& text) {
    options_.output = text == "-" ? std::nullopt : std::optional(text);
  };
  add("--output,-o", "FILE", "write there instead of to standard output (-)", store);
  flag("--force", "replace FILE, or a DIR that --save wrote, where it exists", options_.force, true);
}

void Parser::add_format() {
  std::map<std::string, const render::Writer*> writers;
  std::string kinds;
  for (const render::Writer& writer : render::writers()) {
    writers.emplace(writer.name, &writer);
  }
  for (const auto& [name, writer] : writers) {
    if (writer != &render::default_writer()) {
      kinds += (kinds.empty() ? "" : ", ") + std::string(writer->what);
    }
  }
  choice("--format", kinds + " (" + std::string(render::default_writer().name) + ")", writers, options_.format);
}

void Parser::add_printing() {
  group("Printing, as torch.set_printoptions");
  torch::PrintOptions& print = options_.text.print;
  bounded("--precision", "digits after the point (4)", print.precision, 4, 0, 100);
  bounded("--threshold", "summarise tensors of more elements (1000)", print.threshold, 1000, 0,
          std::numeric_limits<std::int64_t>::max());
  bounded("--edgeitems", "items at either end of a summarised axis (3)", print.edgeitems, 3, 1, most_size);
  const auto store_linewidth = [this, &print](const std::string& text) {
    print.linewidth = std::stoll(text);
    options_.own_linewidth = true;
  };
  add("--linewidth", "N", "characters a line (80), also of heat maps", store_linewidth, whole_number(1, most_size, 80));
  choice("--sci-mode", "scientific notation (auto)", sci_mode_names, print.sci_mode);
  flag("--no-grad", "leave out grad_fn and requires_grad", options_.text.show_grad, false);
}

// ---- The whole command line ----------------------------------------------------------------------

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
    throw_no_command(program, subcommands);
  }
  return message_options(program.help());
}

}  // namespace attn::cli
