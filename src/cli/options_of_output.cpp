#include <iterator>
#include <limits>

#include "cli/option_checks.hpp"
#include "cli/option_rows.hpp"
#include "cli/values.hpp"
#include "text/lines.hpp"

namespace attn::cli {
namespace {

using Words = std::vector<std::string>;

/// The names of the articles that have the chapter; of all articles for another command.
Words articles_here(const Options& options) {
  const auto here = entries_of(options.name);
  return here.empty() ? names_in(chapters::all_articles(), &chapters::Article::name)
                      : names_in(here, [](const chapters::Chapter* entry) { return entry->article->name; });
}

void set_article(Options& options, const std::string& name) {
  options.chapters.clear();
  for (const chapters::Chapter& chapter : article_named(name).chapters) {
    if (options.name == "all" || chapter.name == options.name) {
      options.chapters.push_back(&chapter);
    }
  }
}

/// The names of the rules that apply to the chapter; of all rules if no chapter is named.
Words rules_here(const Options& options) {
  if (options.chapters.empty()) {
    return names_in(all_what_ifs(), &WhatIf::name);
  }
  std::vector<const chapters::Chapter*> chapters = options.chapters;
  chapters.resize(options.name == "layer" ? chapters.size() : 1);
  std::vector<const WhatIf*> rules;
  for (const chapters::Chapter* chapter : chapters) {
    const std::vector<const WhatIf*> its = chapters::what_ifs(*chapter);
    rules.insert(rules.end(), its.begin(), its.end());
  }
  Words names;
  for (const WhatIf& what_if : all_what_ifs()) {
    if (std::ranges::find(rules, &what_if) != rules.end()) {
      names.emplace_back(what_if.name);
    }
  }
  return names;
}

const std::map<std::string, bool> steps_names = {{"article", false}, {"all", true}};
const std::map<std::string, bool> list_formats = {{"text", false}, {"json", true}};
const std::map<std::string, ReportFormat> report_formats = {{"text", ReportFormat::text},
                                                            {"json", ReportFormat::json},
                                                            {"html", ReportFormat::html},
                                                            {"github", ReportFormat::github},
                                                            {"junit", ReportFormat::junit}};
const std::map<std::string, render::Colours> colour_names = {
    {"auto", render::Colours::automatic}, {"always", render::Colours::always}, {"never", render::Colours::never}};
const std::map<std::string, torch::SciMode> sci_modes = {
    {"auto", torch::SciMode::automatic}, {"on", torch::SciMode::on}, {"off", torch::SciMode::off}};

constexpr auto presents = "the presenter shows steps on the terminal, and writes no file";
constexpr auto asks = "it would reveal the hidden numbers";
constexpr auto two = "a comparison prints the tensors of both walkthroughs";

}  // namespace

std::vector<Option> general_options() {
  return {
      {.name = "-h", .doc = "show the common options and exit"},
      {.name = "--help", .doc = "show all options and exit"},
      {.name = "--version", .letter = "-V", .takers = by_program, .doc = "show the version and exit"},
      {.name = "--no-pager",
       .doc = "never show long output in a pager",
       .read = [](Options& o, const std::string&) { o.pager = false; }},
  };
}

std::vector<Option> shown_options() {
  return {
      {.name = "--article",
       .takers = by_articles,
       .is_common = true,
       .value = choice(articles_here, "ARTICLE"),
       .doc = "article to follow (default: the first that has it)",
       .read = set_article},
      {.name = "--steps",
       .is_common = true,
       .value = choice([](const Options&) { return words_of(steps_names); }),
       .doc = "steps the article prints, or all (default: article)",
       .read = [](Options& o, const std::string& text) { o.all_steps = steps_names.at(text); }},
      {.name = "--only",
       .others = "--show --names",
       .is_common = true,
       .value = {.kind = ValueKind::text, .placeholder = "NAME[,NAME...]"},
       .doc = "print only these steps",
       .read = [](Options& o, const std::string& text) { o.only = text::split(text); }},
  };
}

std::vector<Option> classroom_options() {
  return {
      {.name = "--step",
       .others = "--present --interactive",
       .is_common = true,
       .doc = "present one step at a time; ? shows the keys",
       .read = [](Options& o, const std::string&) { o.step = true; },
       .clashes = {{{"--predict"}, "--step shows the numbers that --predict asks for"},
                   {{"--what-if"}, "in the presenter, press w to change a rule"},
                   {{"--cell", "--format", "--emit", "--save", "--output"}, presents}}},
      {.name = "--predict",
       .takers = by_one,
       .value = size(2),
       .doc = "hide N cells of each tensor and ask for them",
       .read = [](Options& o, const std::string& text) { o.predict = whole_value(text); },
       .clashes = {{{"--cell", "--what-if", "--explain", "--heatmap", "--format csv", "--format html", "--format json",
                     "--format svg", "--emit numpy", "--emit pytorch", "--save"},
                    asks}},
       .check = check_exercises},
      {.name = "--explain",
       .others = "--why --verbose",
       .is_common = true,
       .doc = "explain each step: shapes, purpose, what to notice",
       .read = [](Options& o, const std::string&) { o.explain = true; },
       .clashes = {{{"--format svg", "--format csv"}, "it has no room for sentences"}}},
      {.name = "--heatmap",
       .is_common = true,
       .doc = "heat maps: numbers on cells, labelled by tokens",
       .read = [](Options& o, const std::string&) { o.heatmap = true; },
       .clashes = {{{"--format json", "--format csv"}, "it carries no colours"}}},
      {.name = "--slides",
       .others = "--projector",
       .doc = "a page of slides: one step a screen, or a sheet",
       .read = [](Options& o, const std::string&) { o.slides = true; },
       .need = {{"--format html"}, "changes how a page opens", "add --format html, or write to a file FILE.html"}},
      {.name = "--live",
       .others = "--interactive-page",
       .takers = by_chapter,
       .doc = "a page whose lesson can be changed, offline too",
       .read = [](Options& o, const std::string&) { o.live = true; },
       .clashes = {{{"--inputs", "--second-inputs", "--weights"}, "the page cannot read your file again"},
                   {{"--only"}, "the page shows all steps"}},
       .need = {{"--format html"}, "adds settings to a page", "add --format html, or write to a file FILE.html"},
       .check = check_live},
      {.name = "--color",
       .others = "--colour --colors --colours --no-color",
       .value = choice([](const Options&) { return words_of(colour_names); }),
       .doc = "colours of --heatmap and --step (default: auto)",
       .read = [](Options& o, const std::string& text) { o.colours = colour_names.at(text); }},
      {.name = "--cell",
       .takers = by_one,
       .value = {.kind = ValueKind::text, .placeholder = "NAME[I,J]"},
       .doc = "derive one number: attn_scores[1,2]",
       .read = [](Options& o, const std::string& text) { o.cell = text; },
       .clashes = {{{"--format svg", "--format csv"}, "it shows a tensor, not a derivation"},
                   {{"--format html"}, "on a page, point at any number to derive it"}}},
      {.name = "--depth",
       .takers = by_one,
       .value = {.kind = ValueKind::depth, .placeholder = "N|full", .least = 1, .most = 1000, .example = 2},
       .doc = "with --cell: steps to follow back (default: 1)",
       .read = [](Options& o, const std::string& text) { o.depth = text == "full" ? 0 : whole_value(text); }},
      {.name = "--what-if",
       .others = "--rule --without --change",
       .takers = by_one,
       .is_common = true,
       .value = choice(rules_here, "RULE"),
       .doc = "compare with one rule changed, side by side",
       .read = [](Options& o, const std::string& text) { o.what_if = &named(all_what_ifs(), text); },
       .clashes = {{{"--cell", "--explain", "--heatmap", "--format svg", "--format csv"}, two}}},
      {.name = "--draws",
       .takers = by_chapter,
       .doc = "print the 32-bit words of the random draws instead",
       .read = [](Options& o, const std::string&) { o.draws = true; },
       .clashes = {{{"--step", "--predict", "--what-if", "--emit", "--cell", "--explain", "--heatmap", "--format html"},
                    "it shows random draws instead of the steps"}}},
  };
}

std::vector<Option> output_options() {
  return {
      {.name = "--format",
       .others = "--json --html --markdown --svg --as",
       .value = choice([](const Options&) { return names_in(render::writers(), &render::Writer::name); }),
       .doc = "output format (default: text)",
       .read = [](Options& o, const std::string& text) { o.format = &named(render::writers(), text); },
       .clashes =
           {{{"all"},
             "a picture shows one tensor",
             "try attn-walkthrough causal --only attn_weights --format svg",
             "svg"},
            {{"all"}, "it shows one tensor", "try attn-walkthrough causal --only attn_weights --format csv", "csv"}},
       .check = check_terminal},
      {.name = "--format",
       .others = "--json --html --markdown --svg --as",
       .takers = by_list,
       .value = choice([](const Options&) { return words_of(list_formats); }),
       .doc = "text or JSON (default: text)",
       .read = [](Options& o, const std::string& text) { o.json = list_formats.at(text); }},
      {.name = "--format",
       .others = "--json --html --markdown --svg --as",
       .takers = by_verify,
       .is_common = true,
       .value = choice([](const Options&) { return words_of(report_formats); }),
       .doc = "report format (default: text)",
       .read = [](Options& o, const std::string& text) { o.verify.format = report_formats.at(text); },
       .check = check_terminal},
      {.name = "--emit",
       .others = "--python --pytorch --numpy --program",
       .value = choice([](const Options&) { return names_in(emit::emitters(), &emit::Emitter::name); }),
       .doc = "print a program that reproduces this run",
       .read = [](Options& o, const std::string& text) { o.emit = &named(emit::emitters(), text); },
       .clashes = {{{"--cell", "--explain", "--heatmap", "--format"}, "a program prints only the steps"}}},
      {.name = "--save",
       .others = "--export --dump --write",
       .is_common = true,
       .value = {.kind = ValueKind::save, .placeholder = "DIR|FILE"},
       .doc = "also save every tensor: folder, .npz, .safetensors",
       .read = [](Options& o, const std::string& text) { o.save = text; }},
      {.name = "--output",
       .letter = "-o",
       .others = "--out --file --to",
       .takers = by_walks | by_verify,
       .is_common = true,
       .value = {.kind = ValueKind::output, .placeholder = "FILE"},
       .doc = "write to FILE instead of standard output (-)",
       .read = [](Options& o,
                  const std::string& text) { o.output = text == "-" ? std::nullopt : std::optional(text); }},
      {.name = "--force",
       .takers = by_walks | by_verify,
       .doc = "replace an existing FILE, or a DIR that --save wrote",
       .read = [](Options& o, const std::string&) { o.force = true; }},
      {.name = "--strict",
       .takers = by_verify,
       .is_common = true,
       .doc = "also exit with 1 if a tensor on a page is unknown",
       .read = [](Options& o, const std::string&) { o.verify.strict = true; }},
      {.name = "--allow-mistakes",
       .takers = by_verify,
       .is_common = true,
       .doc = "accept known mistakes, for a page that teaches them",
       .read = [](Options& o, const std::string&) { o.verify.allow_mistakes = true; }},
  };
}

std::vector<Option> printing_options() {
  return {
      {.name = "--precision",
       .value = number(0, 100, 4),
       .doc = "digits after the decimal point (default: 4)",
       .read = [](Options& o,
                  const std::string& text) { o.text.print.precision = static_cast<int>(whole_value(text)); }},
      {.name = "--threshold",
       .value = number(0, std::numeric_limits<std::int64_t>::max(), 1000),
       .doc = "summarise tensors with more elements (default: 1000)",
       .read = [](Options& o, const std::string& text) { o.text.print.threshold = whole_value(text); }},
      {.name = "--edgeitems",
       .value = number(0, most_size, 3),
       .doc = "items at either end of a summarised axis (default: 3)",
       .read = [](Options& o, const std::string& text) { o.text.print.edgeitems = whole_value(text); }},
      {.name = "--linewidth",
       .value = size(80),
       .doc = "characters per line, also of heat maps (default: 80)",
       .read =
           [](Options& o, const std::string& text) {
             o.text.print.linewidth = whole_value(text);
             o.own_linewidth = true;
           }},
      {.name = "--sci-mode",
       .value = choice([](const Options&) { return words_of(sci_modes); }),
       .doc = "scientific notation (default: auto)",
       .read = [](Options& o, const std::string& text) { o.text.print.sci_mode = sci_modes.at(text); }},
      {.name = "--no-grad",
       .doc = "leave out grad_fn and requires_grad",
       .read = [](Options& o, const std::string&) { o.text.show_grad = false; }},
  };
}

}  // namespace attn::cli
