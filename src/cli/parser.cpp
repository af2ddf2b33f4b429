#include "cli/parser.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <unistd.h>

#include <CLI/CLI.hpp>

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

}  // namespace

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

}  // namespace attn::cli
