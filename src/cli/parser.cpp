#include "cli/parser.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/complaints.hpp"
#include "cli/names.hpp"
#include "cli/own_tensors.hpp"
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

/// The options of an application as CLI11 knows them, and whether it takes files.
Syntax syntax_of(const CLI::App& app, const std::string& help) {
  Syntax syntax;
  syntax.help = help;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      syntax.takes_files = true;
      continue;
    }
    const auto& letters = option->get_snames();
    syntax.options.push_back({.name = "--" + option->get_lnames().at(0),
                              .letter = letters.empty() ? "" : "-" + letters[0],
                              .takes_value = option->get_items_expected_max() > 0,
                              .placeholder = [option] { return option->get_type_name(); }});
  }
  return syntax;
}

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
};

using Subcommands = std::vector<std::unique_ptr<Subcommand>>;

template <class CommandParser, class... Arguments>
void add_subcommand(CLI::App& program, Subcommands& subcommands, const std::string& group, const std::string& name,
                    std::string_view description, Arguments... arguments) {
  auto subcommand = std::make_unique<Subcommand>();
  subcommand->app = program.add_subcommand(name, std::string(description));
  subcommand->app->group(group);
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
  add_subcommand<AllParser>(program, subcommands, "Commands", "all", "all chapters of an article, in order");
  add_subcommand<ListParser>(program, subcommands, "Commands", "list", "the table of chapters and articles");
  add_subcommand<VerifyParser>(program, subcommands, "Commands", "verify", "which of a page's printed tensors hold");
  return subcommands;
}

KnownCommand known(Subcommand& subcommand) {
  return {subcommand.app->get_name(), [&subcommand] { return subcommand.syntax(); }};
}

std::vector<KnownCommand> known(const Subcommands& subcommands) {
  std::vector<KnownCommand> commands;
  for (const auto& subcommand : subcommands) {
    commands.push_back(known(*subcommand));
  }
  return commands;
}

/// The arguments that are left to store.
struct Understood {
  Subcommand* subcommand = nullptr;
  std::vector<std::string> words;  ///< each value an argument of its own, and no files
};

Understood understood(const CLI::App& program, const Subcommands& subcommands,
                      const std::vector<std::string>& arguments) {
  const Syntax syntax = syntax_of(program, "attn-walkthrough --help");
  const Arguments before = read_arguments(arguments, syntax);
  Understood result = {nullptr, before.options};
  if (before.read == arguments.size() && !before.after_dashes) {
    return result;
  }
  const auto chosen = std::find_if(subcommands.begin(), subcommands.end(), [&](const auto& subcommand) {
    return !before.after_dashes && subcommand->app->get_name() == arguments[before.read];
  });
  if (chosen == subcommands.end()) {
    throw_no_command(known(subcommands), syntax, arguments, before);
  }
  result.subcommand = chosen->get();
  const std::span<const std::string> rest = std::span(arguments).subspan(before.read + 1);
  const Arguments after = read_arguments(rest, result.subcommand->syntax());
  if (after.read < rest.size()) {
    throw_unexpected(known(subcommands), known(*result.subcommand), syntax, rest, after);
  }
  result.words.push_back(arguments[before.read]);
  result.words.insert(result.words.end(), after.options.begin(), after.options.end());
  result.subcommand->parser->take_files(after.files);
  return result;
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
  files_ = &target;
}

void Parser::take_files(const std::vector<std::string>& files) {
  if (files_ != nullptr) {
    *files_ = files;
  }
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
  cli::check_rules([this](std::string_view name) { return given(name); },
                   [this](std::string_view name) { return app_.get_option_no_throw(std::string(name)) != nullptr; });
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

void Parser::add_fixture(Lesson& lesson) {
  flag("--fixture", "for a port's tests: axes differ, every rule has an effect", lesson.fixture, true);
}

void Parser::add_own_inputs() {
  text("--inputs", "FILE[:NAME]", "your own [tokens, d_in]: .npy, .npz, .safetensors, .csv", own_.inputs);
}

void Parser::add_own_second_inputs() {
  text("--second-inputs", "FILE[:NAME]", "your own second sequence [tokens, d_in]", own_.second_inputs);
}

void Parser::add_own_weights() {
  text("--weights", "FILE|NAME=FILE[,...]", "your own, of a file or folder by their steps' names",
       own_.weights);
}

void Parser::read_own_tensors(Lesson& lesson) {
  if (own_.inputs) {
    lesson.inputs = read_inputs("--inputs", *own_.inputs, "inputs", options_.notes);
  }
  if (own_.second_inputs) {
    lesson.second_inputs = read_inputs("--second-inputs", *own_.second_inputs, "second_input", options_.notes);
  }
  if (own_.weights) {
    lesson.weights = read_weights(*own_.weights, options_.notes);
  }
}

void Parser::add_kernels(const std::string& cpu) {
  group("Kernels");
  choice("--cpu", "which of PyTorch's three sets of CPU kernels to follow (" + cpu + ")", cpu_names(), cpu_);
  choice("--blas", "whose OpenBLAS kernels multiply (haswell)", blas_names(), blas_);
}

Kernels Parser::kernels(const chapters::Article& article) {
  const Blas blas = blas_.value_or(default_blas());
  if (runnable(blas) != blas) {
    options_.notes.push_back("this processor cannot run OpenBLAS's " + blas_name(blas) + " kernels; " +
                             blas_name(runnable(blas)) + "'s run in their place, and last digits may differ");
  }
  return {cpu_.value_or(article.cpu), blas};
}

void Parser::check_page(const std::string& name) const {
  if (given("--format") == "html" && !is_given("--output") && isatty(STDOUT_FILENO) != 0) {
    throw UsageError("--format html: a page is for a browser, and standard output is a terminal; accepted are --output with a "
                     "file, a pipe, and --output -; try --output " + name + ".html");
  }
}

void Parser::add_steps() {
  choice("--steps", "what the article prints, or every tensor (article)", steps_names, options_.all_steps);
}

void Parser::add_save(const std::string& help) { text("--save", "DIR|FILE", help, options_.save, folder_name()); }

void Parser::add_explain_and_heatmap() {
  flag("--explain", "under each step its shapes, why it is there, what to notice", options_.explain, true);
  flag("--heatmap", "numbers on coloured cells, named by the tokens", options_.heatmap, true);
}

void Parser::add_output(const std::string& replaced) {
  const auto store = [this](const std::string& text) {
    options_.output = text == "-" ? std::nullopt : std::optional(text);
  };
  add("--output,-o", "FILE", "write there instead of to standard output (-)", store, file_name());
  flag("--force", "replace " + replaced, options_.force, true);
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

void Parser::add_emit() {
  std::map<std::string, const emit::Emitter*> emitters;
  for (const emit::Emitter& emitter : emit::emitters()) {
    emitters.emplace(emitter.name, &emitter);
  }
  choice("--emit", "a program that reproduces this run instead of its text", emitters, options_.emit);
}

void Parser::add_printing() {
  group("Printing, as torch.set_printoptions");
  torch::PrintOptions& print = options_.text.print;
  bounded("--precision", "digits after the point (4)", print.precision, 4, 0, 100);
  bounded("--threshold", "summarise tensors of more elements (1000)", print.threshold, 1000, 0,
          std::numeric_limits<std::int64_t>::max());
  bounded("--edgeitems", "items at either end of a summarised axis (3)", print.edgeitems, 3, 0, most_size);
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
  program.require_subcommand(0, 1);
  program.footer(program_footer);
  program.get_formatter()->column_width(34);
  program.get_formatter()->label("SUBCOMMAND", "CHAPTER");
  const Subcommands subcommands = add_subcommands(program);

  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const Understood given = understood(program, subcommands, arguments);
  try {
    program.parse(std::vector<std::string>(given.words.rbegin(), given.words.rend()));
  } catch (const CLI::CallForHelp&) {
    return message_options(program.help());
  } catch (const CLI::CallForVersion& version) {
    return message_options(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (given.subcommand == nullptr) {
    return message_options(program.help());
  }
  given.subcommand->parser->finish();
  return given.subcommand->options;
}

}  // namespace attn::cli
