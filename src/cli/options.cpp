#include "cli/options.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/text.hpp"
#include "cli/validators.hpp"

namespace attn::cli {
namespace {

using chapters::ChapterEntry;

const std::map<std::string, Init> init_names = {
    {"rand", Init::rand}, {"randn", Init::randn}, {"linear", Init::linear}};
const std::map<std::string, Cpu> cpu_names = {{"avx2", Cpu::avx2}, {"default", Cpu::standard}};
const std::map<std::string, DropoutKernel> kernel_names = {{"default", DropoutKernel::standard},
                                                           {"mkl", DropoutKernel::mkl}};
const std::map<std::string, bool> steps_names = {{"article", false}, {"all", true}};
const std::map<std::string, torch::SciMode> sci_mode_names = {{"auto", torch::SciMode::automatic},
                                                              {"on", torch::SciMode::on},
                                                              {"off", torch::SciMode::off}};

constexpr std::int64_t most_int = std::numeric_limits<std::int32_t>::max();

constexpr auto program_footer = R"(Examples:
  attn-walkthrough causal --seed 123        the blog's numbers, as its page prints them
  attn-walkthrough multihead --steps all    every tensor of every head
  attn-walkthrough causal --save steps      every tensor as a .npy file
  attn-walkthrough CHAPTER --help           what a chapter's options are)";

/// Adds options to a chapter's parser; texts are checked while parsing, so that conversions cannot fail.
class ChapterParser {
 public:
  ChapterParser(CLI::App& app, const ChapterEntry& chapter, Options& options)
      : app_(app), chapter_(chapter), options_(options) {}

  void add_options() {
    options_.lesson.article = chapter_.article;
    options_.lesson.cpu = chapters::article_entry(chapter_.article).cpu;
    add_shown();
    add_inputs();
    if (chapter_.takes.projections) {
      add_projections();
    }
    if (chapter_.takes.dropout) {
      add_dropout();
    }
    add_kernels();
    add_printing();
    app_.footer("Example:\n  attn-walkthrough " + std::string(chapter_.name) + " --seed 123 --steps all");
  }

  /// What only holds for the options together.
  void check_together() const {
    const bool no_linear = options_.lesson.init.value_or(chapter_.init) != Init::linear;
    if (options_.lesson.qkv_bias && no_linear) {
      throw UsageError("--qkv-bias needs weights from nn.Linear; accepted with --init linear; add it, or leave "
                       "--qkv-bias out");
    }
  }

 private:
  CLI::Option* add(const std::string& name, const std::string& placeholder, const std::string& help,
                   const CLI::callback_t& store) {
    return app_.add_option(name, store, help)
        ->type_name(placeholder)
        ->group(group_)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }

  template <class Target>
  using Number = std::conditional_t<std::is_same_v<Target, int>, int, std::int64_t>;

  template <class Target>
  void number(const std::string& name, const std::string& help, Target& target, std::int64_t example,
              std::int64_t least = 1, std::int64_t most = most_int) {
    add(name, "N", help, [&target](const CLI::results_t& texts) {
      target = static_cast<Number<Target>>(std::stoll(texts.back()));
      return true;
    })->check(whole_number(least, most, example));
  }

  template <class Value, class Target>
  void choice(const std::string& name, const std::string& help, const std::map<std::string, Value>& values,
              Target& target) {
    std::vector<std::string> names;
    for (const auto& [word, value] : values) {
      names.push_back(word);
    }
    std::string placeholder;
    for (const std::string& word : names) {
      placeholder += (placeholder.empty() ? "" : "|") + word;
    }
    add(name, placeholder, help, [&target, &values](const CLI::results_t& texts) {
      target = values.at(texts.back());
      return true;
    })->check([names](const std::string& text) {
      if (std::find(names.begin(), names.end(), text) != names.end()) {
        return std::string();
      }
      const std::string near = nearest(text, names);
      return "'" + text + "' is not known; accepted are " + joined(names) + "; try " +
             (near.empty() ? names.front() : near);
    });
  }

  void flag(const std::string& name, const std::string& help, bool& target, bool value) {
    app_.add_flag_callback(name, [&target, value] { target = value; }, help)->group(group_)->disable_flag_override();
  }

  void add_shown() {
    group_ = "What is shown";
    choice("--steps", "what the article prints, or every tensor (article)", steps_names, options_.all_steps);
    add("--only", "NAME[,NAME...]", "these steps alone", [this](const CLI::results_t& texts) {
      options_.only = split(texts.back());
      return true;
    });
    add("--save", "DIR", "also write every tensor as DIR/NAME.npy, and DIR/manifest.json",
        [this](const CLI::results_t& texts) {
          options_.save = texts.back();
          return true;
        })->check([](const std::string& folder) {
      const bool is_name = !folder.empty() && folder[0] != '-';
      return is_name ? std::string()
                     : "'" + folder + "' is no folder's name; accepted are paths; write ./-x for a folder -x";
    });
  }

  void add_inputs() {
    group_ = "Inputs";
    Lesson& lesson = options_.lesson;
    add("--seed", "N", "as torch.manual_seed: any 64-bit integer (123)", [&lesson](const CLI::results_t& texts) {
      lesson.seed = seed_value(texts.back());
      return true;
    })->check(seed());
    number("--tokens", "random inputs of N tokens instead of the article's", lesson.tokens, 6);
    number("--d-in", "random inputs of N dimensions instead of the article's", lesson.d_in, 3);
    if (chapter_.takes.batch) {
      number("--batch", "stack the same inputs N times", lesson.batch, 2);
    }
    if (chapter_.takes.query) {
      add("--query", "TOKEN|INDEX", "the token whose scores are computed by hand (journey)",
          [&lesson](const CLI::results_t& texts) {
            lesson.query = texts.back();
            return true;
          });
    }
  }

  void add_projections() {
    group_ = "Weights";
    Lesson& lesson = options_.lesson;
    number("--d-out", "dimensions of queries, keys and values", d_out_, 3);
    number("--d-out-kq", "dimensions of queries and keys", lesson.d_out_kq, 3);
    number("--d-out-v", "dimensions of values", lesson.d_out_v, 3);
    choice("--init", "nn.Parameter(torch.rand), nn.Parameter(torch.randn) or nn.Linear", init_names, lesson.init);
    flag("--qkv-bias", "nn.Linear with a bias", lesson.qkv_bias, true);
    if (chapter_.takes.heads) {
      number("--num-heads", "attention heads; must divide d_out (3)", lesson.num_heads, 3);
    }
    app_.parse_complete_callback([this] {
      Lesson& parsed = options_.lesson;
      parsed.d_out_kq = parsed.d_out_kq ? parsed.d_out_kq : d_out_;
      parsed.d_out_v = parsed.d_out_v ? parsed.d_out_v : d_out_;
    });
  }

  void add_dropout() {
    group_ = "Dropout";
    Lesson& lesson = options_.lesson;
    add("--dropout", "P", "the probability to drop a weight", [&lesson](const CLI::results_t& texts) {
      lesson.dropout = probability_value(texts.back());
      return true;
    })->check(probability());
    choice("--dropout-kernel", "which of PyTorch's two Bernoulli kernels draws (default)", kernel_names,
           lesson.dropout_kernel);
  }

  void add_kernels() {
    group_ = "Kernels";
    const bool is_default = options_.lesson.cpu == Cpu::standard;
    choice("--cpu", std::string("which of PyTorch's two sets of CPU kernels to follow (") +
                        (is_default ? "default)" : "avx2)"),
           cpu_names, options_.lesson.cpu);
  }

  void add_printing() {
    group_ = "Printing, as torch.set_printoptions";
    torch::PrintOptions& print = options_.text.print;
    number("--precision", "digits after the point (4)", print.precision, 4, 0, 100);
    number("--threshold", "summarise tensors of more elements (1000)", print.threshold, 1000, 0,
           std::numeric_limits<std::int64_t>::max());
    number("--edgeitems", "items at either end of a summarised axis (3)", print.edgeitems, 3);
    number("--linewidth", "characters a line (80)", print.linewidth, 80);
    choice("--sci-mode", "scientific notation (auto)", sci_mode_names, print.sci_mode);
    flag("--no-grad", "leave out grad_fn and requires_grad", options_.text.show_grad, false);
  }

  CLI::App& app_;
  const ChapterEntry& chapter_;
  Options& options_;
  std::string group_;
  std::optional<std::int64_t> d_out_;
};

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

/// The text before a "=": "--sead=5" is about --sead.
std::string option_part(const std::string& argument) { return argument.substr(0, argument.find('=')); }

/// Complains about the first argument that a chapter could not use.
[[noreturn]] void throw_unexpected(const CLI::App& program, const CLI::App& chapter, const std::string& argument) {
  const std::string help = "see attn-walkthrough " + chapter.get_name() + " --help";
  if (argument.empty() || argument[0] != '-') {
    throw UsageError("'" + argument + "' is not expected after " + chapter.get_name() +
                     "; accepted are options; " + help);
  }
  const std::string name = option_part(argument);
  const auto names = option_names(chapter);
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    throw UsageError(name + " stands where no option is read; accepted are options before --; leave -- out");
  }
  std::vector<std::string> elsewhere;
  for (const CLI::App* other : program.get_subcommands([](const CLI::App*) { return true; })) {
    const auto others = option_names(*other);
    if (std::find(others.begin(), others.end(), name) != others.end()) {
      elsewhere.push_back(other->get_name());
    }
  }
  if (!elsewhere.empty()) {
    throw UsageError(name + " has no meaning in " + chapter.get_name() + "; it is accepted in " +
                     joined(elsewhere) + "; " + help);
  }
  const std::string near = nearest(name, names);
  throw UsageError("there is no option " + name + "; " + (near.empty() ? "" : "the nearest is " + near + "; ") + help);
}

/// What CLI11 says of a missing value, or of a value where none belongs, in the form of our own errors.
std::string explanation(const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const std::string message = error.what();
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

[[noreturn]] void throw_no_chapter(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const ChapterEntry& chapter : chapters::all_chapters()) {
    names.emplace_back(chapter.name);
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

}  // namespace

Options parse(int argc, const char* const* argv) {
  CLI::App program("Prints every intermediate tensor of the attention mechanism, with the very numbers and the\n"
                   "very layout that PyTorch prints. Each chapter follows an article's program.",
                   "attn-walkthrough");
  program.set_version_flag("--version", "attn-walkthrough " ATTN_VERSION, "Print the version and exit");
  program.allow_extras();
  program.require_subcommand(0, 1);
  program.footer(program_footer);
  program.get_formatter()->column_width(34);
  program.get_formatter()->label("SUBCOMMAND", "CHAPTER");
  program.get_formatter()->label("Subcommands", "Chapters");

  struct Parsed {
    Options options;
    CLI::App* app = nullptr;
    std::unique_ptr<ChapterParser> parser;
  };
  std::vector<Parsed> parsed(chapters::all_chapters().size());
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    const ChapterEntry& chapter = chapters::all_chapters()[i];
    parsed[i].options.chapter = &chapter;
    parsed[i].app = program.add_subcommand(std::string(chapter.name), std::string(chapters::chapter_summary(chapter.name)));
    parsed[i].app->allow_extras();
    parsed[i].parser = std::make_unique<ChapterParser>(*parsed[i].app, chapter, parsed[i].options);
    // A chapter's options take longer to build than the chapter to compute: only for the one that is asked for.
    parsed[i].app->preparse_callback([parser = parsed[i].parser.get()](std::size_t) { parser->add_options(); });
  }

  Options nothing;
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    nothing.message = program.help();
    return nothing;
  } catch (const CLI::CallForVersion& version) {
    nothing.message = std::string(version.what()) + "\n";
    return nothing;
  } catch (const CLI::ParseError& error) {
    const bool explained = dynamic_cast<const CLI::ValidationError*>(&error) != nullptr;
    throw UsageError(explained ? error.what() : explanation(error, {argv, argv + argc}));
  }

  for (Parsed& chapter : parsed) {
    if (chapter.app->parsed()) {
      const std::vector<std::string> extras = program.remaining(true);
      if (!extras.empty()) {
        for (Parsed& other : parsed) {
          if (!other.app->parsed()) {
            other.parser->add_options();
          }
        }
        throw_unexpected(program, *chapter.app, extras[0]);
      }
      chapter.parser->check_together();
      return chapter.options;
    }
  }
  if (argc > 1) {
    throw_no_chapter(program.remaining());
  }
  nothing.message = program.help();
  return nothing;
}

}  // namespace attn::cli
