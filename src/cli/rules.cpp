#include "cli/rules.hpp"

#include <algorithm>
#include <vector>

#include "cli/usage_error.hpp"
#include "render/writers.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

/// Options, each alone ("--format": in any form but the usual one) or with one of its values ("--format json").
using Uses = std::vector<std::string_view>;

/// None of the options goes with any of the others.
struct Rule {
  Uses options;
  Uses others;
  std::string_view why;
  std::string_view accepted;  ///< beside the option; empty: the forms of output that no rule refuses beside it
  std::string_view instead = "leave one of them out";
};

constexpr std::string_view keys = "the presenter has keys for explanations, heat maps and derivations, and writes nothing";
constexpr std::string_view beside_step = "--steps, --only, inputs, sizes and printing";
constexpr std::string_view asks = "it asks for blanked numbers, which nothing else may show";
constexpr std::string_view beside_predict = "--steps, --only, inputs, sizes and printing";
constexpr std::string_view two = "two walkthroughs side by side are text, number beside number";
constexpr std::string_view beside_what_if =
    "--steps, --only, --save (the changed one), --output, --emit, inputs, sizes and printing";
constexpr std::string_view beside_emit = "--steps, --only, --what-if, --save, --output, inputs, sizes and printing";
constexpr std::string_view beside_draws = "--only, --format json, --save, --output, inputs, sizes and weights";
constexpr std::string_view beside_cell =
    "--depth, --format, --save, --output, inputs, sizes, --precision and --sci-mode";

const std::vector<Rule>& rules() {
  static const std::vector<Rule> table = {
      {{"--step"}, {"--predict"}, "one shows the numbers that the other asks for", beside_step},
      {{"--step"}, {"--what-if"}, "the presenter shows one walkthrough", beside_step},
      {{"--step"}, {"--cell", "--explain", "--heatmap", "--format", "--emit", "--save", "--output"}, keys, beside_step},
      {{"--predict"}, {"--cell", "--what-if", "--explain", "--heatmap", "--format", "--emit", "--save"}, asks, beside_predict},
      {{"--predict"}, {"--output"}, "questions and answers go over the terminal or a pipe", beside_predict},
      {{"--what-if"}, {"--cell", "--explain", "--heatmap", "--format"}, two, beside_what_if},

      {{"--emit"}, {"--cell", "--explain", "--heatmap", "--format"}, "a program prints the steps and nothing else", beside_emit},
      {{"--emit numpy"},
       {"--blas", "--precision", "--threshold", "--edgeitems", "--linewidth", "--sci-mode", "--no-grad"},
       "numpy multiplies and prints in its own way",
       "--cpu, --steps, --only, --what-if, --save, --output, inputs and sizes",
       "try --emit pytorch"},

      {{"--draws"},
       {"--step", "--predict", "--what-if", "--emit", "--cell", "--explain", "--heatmap", "--format html",
        "--format markdown", "--format svg"},
       "random draws stand there in place of the steps, as text or JSON",
       beside_draws},
      {{"--draws"}, {"--steps", "--query", "--blas"}, "what is drawn is the same with it", beside_draws},
      {{"--draws"},
       {"--precision", "--threshold", "--edgeitems", "--linewidth", "--sci-mode", "--no-grad"},
       "every drawn number stands there, in full",
       beside_draws},

      {{"--cell"}, {"--format svg"}, "a picture is of a tensor, not of a derivation", ""},
      {{"--cell"}, {"--explain"}, "a derivation explains its number already", beside_cell},
      {{"--cell"}, {"--heatmap"}, "a derivation has no cells to colour", beside_cell},
      {{"--cell"}, {"--only", "--steps"}, "a derivation is of the step that --cell names", beside_cell},
      {{"--cell"},
       {"--threshold", "--edgeitems", "--linewidth", "--no-grad"},
       "a derivation is of one number, and prints no tensor",
       beside_cell},

      {{"--cell"}, {"--format html"}, "on a page every number is derived where somebody points at it", ""},
      {{"--explain"}, {"--format html", "--format json", "--format markdown"}, "each step is explained there already", "",
       "leave --explain out"},
      {{"--heatmap"}, {"--format html"}, "a page colours every cell already", "", "leave --heatmap out"},
      {{"--explain"}, {"--format svg"}, "a picture has no room for sentences", "", "leave --explain out"},
      {{"--heatmap"}, {"--format svg"}, "a picture colours every cell already", "", "leave --heatmap out"},
      {{"--steps"}, {"--format svg"}, "a picture is of the tensor that --only names", "", "leave --steps out"},
      {{"--linewidth", "--no-grad"}, {"--format svg"}, "a picture wraps no lines and names no grad_fn", ""},
      {{"all"}, {"--format svg"}, "a picture shows one tensor", "",
       "try attn-walkthrough causal --only attn_weights --format svg"},
      {{"--heatmap"}, {"--format json"}, "JSON has the numbers, their colours are up to who reads it", ""},
      {{"--precision", "--threshold", "--edgeitems", "--linewidth", "--sci-mode", "--no-grad"},
       {"--format json"},
       "JSON has every number, in full",
       ""},

      {{"--no-grad"}, {"--heatmap"}, "coloured cells name no grad_fn", "what prints tensors", "leave --no-grad out"},
      {{"--steps"}, {"--only"}, "--only chooses among all steps", "--save, forms of output, inputs and sizes",
       "leave --steps out"},
      {{"--rtol", "--atol", "--map"}, {"--format html"}, "tensors have no text to tint", "--format text, json",
       "leave --format html out"},
      {{"--inputs"}, {"--tokens", "--d-in", "--sentence"}, "a file has tokens and dimensions of its own",
       "--weights, sizes and forms of output"},
      {{"--fixture"}, {"--qkv-bias"}, "its weights from nn.Linear have a bias already", "inputs, sizes and forms of output",
       "leave --qkv-bias out"},
      {{"--tokens"}, {"--sentence"}, "a sentence has its own tokens", "--d-in, sizes and forms of output"},
  };
  return table;
}

/// The option has an effect only beside one of the others.
struct Need {
  std::string_view option;
  Uses others;
  std::string_view why;
  std::string_view instead;
};

const std::vector<Need>& needs() {
  static const std::vector<Need> table = {
      {"--auto", {"--step"}, "says when the presenter goes on by itself", "add --step"},
      {"--depth", {"--cell"}, "says how far a derivation goes", "try --cell 'attn_scores[1,2]'"},
      {"--force", {"--output", "--save"}, "replaces what a file or folder of the same name holds", "leave --force out"},
  };
  return table;
}

/// What is given where nobody gives it.
bool is_usual(std::string_view option, std::string_view value) {
  return (option == "--format" && value == render::default_writer().name) || (option == "--output" && value == "-");
}

bool is_asked_for(std::string_view use, const LastValue& last_value) {
  const std::size_t space = std::min(use.find(' '), use.size());
  const std::string_view option = use.substr(0, space);
  const std::optional<std::string> value = last_value(option);
  return value && (space < use.size() ? *value == use.substr(space + 1) : !is_usual(option, *value));
}

bool is_refused(std::string_view option, const std::string& other) {
  return std::any_of(rules().begin(), rules().end(), [&](const Rule& rule) {
    return std::find(rule.options.begin(), rule.options.end(), option) != rule.options.end() &&
           std::find(rule.others.begin(), rule.others.end(), other) != rule.others.end();
  });
}

/// The forms of output that the option goes with.
std::string forms_with(std::string_view option) {
  std::vector<std::string> names;
  for (const render::Writer& writer : render::writers()) {
    const std::string name(writer.name);
    if (!is_refused(option, "--format " + name)) {
      names.push_back(name);
    }
  }
  return "--format " + text::joined(names);
}

void check(const Rule& rule, const LastValue& last_value) {
  for (const std::string_view option : rule.options) {
    for (const std::string_view other : rule.others) {
      if (is_asked_for(option, last_value) && is_asked_for(other, last_value)) {
        const std::string name(option);
        throw UsageError(name + " with " + std::string(other) + ": " + std::string(rule.why) + "; accepted with " + name +
                         (rule.accepted.empty() ? " is " + forms_with(option) : " are " + std::string(rule.accepted)) +
                         "; " + std::string(rule.instead));
      }
    }
  }
}

void check(const Need& need, const LastValue& last_value, const Has& has) {
  const auto is_there = [&last_value](std::string_view other) { return is_asked_for(other, last_value); };
  if (is_asked_for(need.option, last_value) && std::none_of(need.others.begin(), need.others.end(), is_there)) {
    std::vector<std::string> accepted(need.others.begin(), need.others.end());
    std::erase_if(accepted, [&has](const std::string& other) { return !has(other); });
    throw UsageError(std::string(need.option) + " " + std::string(need.why) + "; accepted with " +
                     text::joined(accepted, " or ") + "; " + std::string(need.instead));
  }
}

}  // namespace

void check_rules(const LastValue& last_value, const Has& has) {
  for (const Need& need : needs()) {
    check(need, last_value, has);
  }
  for (const Rule& rule : rules()) {
    check(rule, last_value);
  }
}

}  // namespace attn::cli
