#include <iterator>
#include <limits>

#include "cli/option_checks.hpp"
#include "cli/option_rows.hpp"
#include "cli/values.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

using Words = std::vector<std::string>;

/// The articles that have the chapter; for another command, all.
Words articles_here(const Options& options) {
  Words names;
  for (const chapters::Article& article : chapters::all_articles()) {
    names.emplace_back(article.name);
  }
  const auto here = entries_of(options.name);
  if (!here.empty()) {
    names.clear();
    std::ranges::transform(here, std::back_inserter(names),
                           [](const auto* entry) { return std::string(entry->article->name); });
  }
  return names;
}

void set_article(Options& options, const std::string& name) {
  options.chapters.clear();
  for (const chapters::Chapter& chapter : article_named(name).chapters) {
    if (options.name == "all" || chapter.name == options.name) {
      options.chapters.push_back(&chapter);
    }
  }
}

template <class Range>
Words names_in(const Range& range) {
  Words words;
  for (const auto& one : range) {
    words.emplace_back(one.name);
  }
  return words;
}

/// The rules that the chapter's program has; where none is named, all.
Words rules_here(const Options& options) {
  if (options.chapters.empty()) {
    return names_in(all_what_ifs());
  }
  Words names;
  for (const WhatIf* what_if : chapters::what_ifs(*options.chapters[0])) {
    names.emplace_back(what_if->name);
  }
  return names;
}

const std::map<std::string, bool> steps_names = {{"article", false}, {"all", true}};
const std::map<std::string, bool> list_formats = {{"text", false}, {"json", true}};
const std::map<std::string, ReportFormat> report_formats = {
    {"text", ReportFormat::text}, {"json", ReportFormat::json}, {"html", ReportFormat::html}};
const std::map<std::string, torch::SciMode> sci_modes = {
    {"auto", torch::SciMode::automatic}, {"on", torch::SciMode::on}, {"off", torch::SciMode::off}};

constexpr auto keys = "the presenter has keys for explanations, heat maps and derivations, and writes nothing";
constexpr auto asks = "it would reveal the hidden numbers";
constexpr auto two = "two walkthroughs side by side are text, number beside number";
constexpr auto own_printing = "numpy multiplies and prints in its own way";
constexpr auto draws_in_full = "every drawn number stands there, in full";

/// What all options of printing have no meaning beside; some of them not beside a derivation either.
std::vector<Clash> printing_clashes(std::vector<Clash> more = {}) {
  std::vector<Clash> clashes = {{{"--format json"}, "JSON has every number, in full"},
                                {{"--emit numpy"}, own_printing, "try --emit pytorch"},
                                {{"--draws"}, draws_in_full}};
  clashes.insert(clashes.end(), more.begin(), more.end());
  return clashes;
}
const Clash no_tensor = {{"--cell"}, "a derivation is of one number, and prints no tensor"};
const Clash no_lines = {{"--format svg"}, "a picture wraps no lines and names no grad_fn"};

}  // namespace

std::vector<Option> general_options() {
  return {
      {.name = "--help",
       .letter = "-h",
       .takers = by_program | by_all_commands,
       .group = group::general,
       .doc = "show this help, and exit"},
      {.name = "--version",
       .letter = "-V",
       .takers = by_program,
       .group = group::general,
       .doc = "show the version, and exit"},
      {.name = "--no-pager",
       .takers = by_program | by_all_commands,
       .group = group::general,
       .doc = "print long output as it is, on a terminal too",
       .read = [](Options& o, const std::string&) { o.pager = false; }},
  };
}

std::vector<Option> shown_options() {
  return {
      {.name = "--article",
       .takers = by_walks,
       .group = group::shown,
       .value = choice(articles_here),
       .doc = "article to follow (default: the first of these)",
       .more = "With it come its inputs, its way to make weights, and the kernels that it was made with.",
       .read = set_article},
      {.name = "--steps",
       .takers = by_walks,
       .group = group::shown,
       .value = choice([](const Options&) { return words_of(steps_names); }),
       .doc = "what the article prints, or every tensor (default: article)",
       .more = "A page shows every tensor by default.",
       .read = [](Options& o, const std::string& text) { o.all_steps = steps_names.at(text); },
       .clashes = {{{"--format svg"}, "a picture is of the tensor that --only names", "leave --steps out"},
                   {{"--only"}, "--only chooses among all steps", "leave --steps out"}}},
      {.name = "--only",
       .others = "--show --names",
       .takers = by_walks,
       .group = group::shown,
       .value = {.kind = ValueKind::steps, .placeholder = "NAME[,NAME...]"},
       .doc = "print only these steps",
       .more = "Names are those of --steps all. SECTION/NAME is a step of one section alone.",
       .read = [](Options& o, const std::string& text) { o.only = text::split(text); }},
  };
}

std::vector<Option> classroom_options() {
  return {
      {.name = "--step",
       .others = "--present --interactive",
       .takers = by_chapter,
       .group = group::classroom,
       .doc = "a presenter: one step at a time, ? for its keys",
       .read = [](Options& o, const std::string&) { o.step = true; },
       .clashes = {{{"--predict"}, "one shows the numbers that the other asks for"},
                   {{"--what-if"}, "the presenter shows one walkthrough; w changes a rule in it"},
                   {{"--cell", "--explain", "--heatmap", "--format", "--emit", "--save", "--output"}, keys}}},
      {.name = "--auto",
       .takers = by_chapter,
       .group = group::classroom,
       .value = {.kind = ValueKind::seconds, .placeholder = "SECONDS"},
       .doc = "with --step: advance every SECONDS",
       .read = [](Options& o, const std::string& text) { o.seconds = number_value(text); },
       .need = {{"--step"}, "says when the presenter goes on by itself", "add --step"}},
      {.name = "--predict",
       .takers = by_chapter,
       .group = group::classroom,
       .value = size(2),
       .doc = "blank N cells of each tensor, ask for them, and mark the answers",
       .more = "Which cells are blank follows from the seed. Answers may come from a pipe, a line each.",
       .read = [](Options& o, const std::string& text) { o.predict = whole_value(text); },
       .clashes = {{{"--cell", "--what-if", "--explain", "--heatmap", "--format", "--emit", "--save"}, asks},
                   {{"--output"}, "questions and answers go over the terminal or a pipe"}}},
      {.name = "--explain",
       .others = "--why --verbose",
       .takers = by_walks,
       .group = group::classroom,
       .doc = "under each step its shapes, why it is there, what to notice",
       .read = [](Options& o, const std::string&) { o.explain = true; },
       .clashes = {{{"--format html", "--format json", "--format markdown"},
                    "each step is explained there already",
                    "leave --explain out"},
                   {{"--format svg"}, "a picture has no room for sentences", "leave --explain out"}}},
      {.name = "--heatmap",
       .takers = by_walks,
       .group = group::classroom,
       .doc = "numbers on coloured cells, named by the tokens",
       .read = [](Options& o, const std::string&) { o.heatmap = true; },
       .clashes = {{{"--format html"}, "a page colours every cell already", "leave --heatmap out"},
                   {{"--format svg"}, "a picture colours every cell already", "leave --heatmap out"},
                   {{"--format json"}, "JSON carries no colours"}}},
      {.name = "--cell",
       .takers = by_chapter,
       .group = group::classroom,
       .value = {.kind = ValueKind::cell, .placeholder = "NAME[I,J]"},
       .doc = "how one number came about: attn_scores[1,2]",
       .more = "Indices are whole numbers from 0, or from -1 at the end; a token may stand for its index.",
       .read = [](Options& o, const std::string& text) { o.cell = text; },
       .clashes = {{{"--format svg"}, "a picture is of a tensor, not of a derivation"},
                   {{"--format html"}, "on a page every number is derived where somebody points at it"},
                   {{"--explain"}, "a derivation explains its number already"},
                   {{"--heatmap"}, "a derivation has no cells to colour"},
                   {{"--only", "--steps"}, "a derivation is of the step that --cell names"}}},
      {.name = "--depth",
       .takers = by_chapter,
       .group = group::classroom,
       .value = {.kind = ValueKind::depth, .placeholder = "N|full", .least = 1, .most = 1000, .example = 2},
       .doc = "with --cell: how many steps back (default: 1)",
       .read = [](Options& o, const std::string& text) { o.depth = text == "full" ? 0 : whole_value(text); },
       .need = {{"--cell"}, "says how far a derivation goes", "try --cell 'attn_scores[1,2]'"}},
      {.name = "--what-if",
       .others = "--rule --without --change",
       .takers = by_chapter,
       .group = group::classroom,
       .value = choice(rules_here),
       .doc = "the walkthrough twice, side by side, with one rule changed",
       .more = "All that is drawn stays the same. --save and --emit give the changed one.",
       .read = [](Options& o, const std::string& text) { o.what_if = &named(all_what_ifs(), text); },
       .clashes = {{{"--cell", "--explain", "--heatmap", "--format"}, two}}},
      {.name = "--draws",
       .takers = by_chapter,
       .group = group::classroom,
       .doc = "each random draw instead: its raw 32-bit word, and what it became",
       .read = [](Options& o, const std::string&) { o.draws = true; },
       .clashes = {{{"--step", "--predict", "--what-if", "--emit", "--cell", "--explain", "--heatmap", "--format html",
                     "--format markdown", "--format svg"},
                    "random draws stand there in place of the steps, as text or JSON"},
                   {{"--steps", "--query", "--blas"}, "it does not affect the draws"}}},
  };
}

std::vector<Option> output_options() {
  return {
      {.name = "--format",
       .others = "--json --html --markdown --svg --as",
       .takers = by_walks,
       .group = group::output,
       .value = choice([](const Options&) { return names_in(render::writers()); }),
       .doc = "text (default), a handout, JSON, a page to project, or a picture",
       .more = "A page is one file, with everything in it. A picture needs --only with the tensor that it shows.",
       .read = [](Options& o, const std::string& text) { o.format = &named(render::writers(), text); },
       .clashes = {{{"all"},
                    "a picture shows one tensor",
                    "try attn-walkthrough causal --only attn_weights --format svg",
                    "svg"}},
       .check = check_terminal},
      {.name = "--format",
       .others = "--json --html --markdown --svg --as",
       .takers = by_list,
       .group = group::output,
       .value = choice([](const Options&) { return words_of(list_formats); }),
       .doc = "text or JSON (default: text)",
       .read = [](Options& o, const std::string& text) { o.json = list_formats.at(text); }},
      {.name = "--format",
       .others = "--json --html --markdown --svg --as",
       .takers = by_verify,
       .group = group::output,
       .value = choice([](const Options&) { return words_of(report_formats); }),
       .doc = "text, JSON, or a page with the tensors tinted (default: text)",
       .read = [](Options& o, const std::string& text) { o.verify.format = report_formats.at(text); },
       .check = check_terminal},
      {.name = "--emit",
       .others = "--python --pytorch --numpy --program",
       .takers = by_walks,
       .group = group::output,
       .value = choice([](const Options&) { return names_in(emit::emitters()); }),
       .doc = "a program that reproduces this run instead of its text",
       .more = "That of numpy needs no PyTorch: what is drawn stands in it as numbers.",
       .read = [](Options& o, const std::string& text) { o.emit = &named(emit::emitters(), text); },
       .clashes = {{{"--cell", "--explain", "--heatmap", "--format"}, "a program prints the steps and nothing else"},
                   {{"--blas"}, own_printing, "try --emit pytorch", "numpy"}}},
      {.name = "--save",
       .others = "--export --dump --write",
       .takers = by_walks,
       .group = group::output,
       .value = {.kind = ValueKind::save, .placeholder = "DIR|FILE"},
       .doc = "also write every tensor: DIR/NAME.npy, FILE.npz, .safetensors",
       .more = "The command all writes DIR/CHAPTER/NAME.npy. DIR/manifest.json says what made them.",
       .read = [](Options& o, const std::string& text) { o.save = text; }},
      {.name = "--output",
       .letter = "-o",
       .others = "--out --file --to",
       .takers = by_walks | by_verify,
       .group = group::output,
       .value = {.kind = ValueKind::output, .placeholder = "FILE"},
       .doc = "write to FILE instead of to standard output (-)",
       .more = "Unless --format or --emit says otherwise, FILE's ending does: .md, .json, .html, .svg, and .py for a "
               "program.",
       .read = [](Options& o,
                  const std::string& text) { o.output = text == "-" ? std::nullopt : std::optional(text); }},
      {.name = "--force",
       .takers = by_walks | by_verify,
       .group = group::output,
       .doc = "replace FILE, or a DIR that --save wrote, where it exists",
       .more = "A folder with anything that no --save wrote stays as it is.",
       .read = [](Options& o, const std::string&) { o.force = true; },
       .need = {{"--output", "--save"}, "replaces what a file or folder of the same name holds", "leave --force out"}},
      {.name = "--strict",
       .takers = by_verify,
       .group = group::output,
       .doc = "exit with 1 where a page's tensor is unknown as well",
       .read = [](Options& o, const std::string&) { o.verify.strict = true; }},
      {.name = "--allow-mistakes",
       .takers = by_verify,
       .group = group::output,
       .doc = "known mistakes on a page do not fail it: a page that teaches them",
       .read = [](Options& o, const std::string&) { o.verify.allow_mistakes = true; },
       .clashes = {{{"--rtol", "--atol", "--map", "--ignore"}, "a port's tensors are right or wrong"}}},
  };
}

std::vector<Option> printing_options() {
  const auto row = [](std::string_view name, const Value& value, std::string_view doc,
                      void (*read)(Options&, const std::string&), std::vector<Clash> more) {
    return Option{.name = name,
                  .takers = by_walks,
                  .group = group::printing,
                  .value = value,
                  .doc = doc,
                  .read = read,
                  .clashes = printing_clashes(std::move(more))};
  };
  return {
      row("--precision", number(0, 100, 4), "digits after the point (default: 4)",
          [](Options& o, const std::string& text) { o.text.print.precision = static_cast<int>(whole_value(text)); },
          {}),
      row("--threshold", number(0, std::numeric_limits<std::int64_t>::max(), 1000),
          "summarise tensors of more elements (default: 1000)",
          [](Options& o, const std::string& text) { o.text.print.threshold = whole_value(text); }, {no_tensor}),
      row("--edgeitems", number(0, most_size, 3), "items at either end of a summarised axis (default: 3)",
          [](Options& o, const std::string& text) { o.text.print.edgeitems = whole_value(text); }, {no_tensor}),
      row("--linewidth", size(80), "characters a line (default: 80), also of heat maps",
          [](Options& o, const std::string& text) {
            o.text.print.linewidth = whole_value(text);
            o.own_linewidth = true;
          },
          {no_tensor, no_lines}),
      row("--sci-mode", choice([](const Options&) { return words_of(sci_modes); }),
          "scientific notation (default: auto)",
          [](Options& o, const std::string& text) { o.text.print.sci_mode = sci_modes.at(text); }, {}),
      row("--no-grad", {}, "leave out grad_fn and requires_grad",
          [](Options& o, const std::string&) { o.text.show_grad = false; },
          {no_tensor, no_lines, {{"--heatmap"}, "coloured cells name no grad_fn", "leave --no-grad out"}}),
  };
}

}  // namespace attn::cli
