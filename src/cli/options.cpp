#include <set>
#include <utility>

#include "cli/option.hpp"
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

const std::map<std::string, render::Colours> colour_names = {
    {"auto", render::Colours::automatic}, {"always", render::Colours::always}, {"never", render::Colours::never}};

/// For a chapter, the forms of text, and the files of tensors.
Words format_names(const Options& options) {
  return options.command == Command::list     ? Words{"json", "text"}
         : options.command == Command::verify ? names_in(report_forms, &ReportForm::name)
                                              : names_in(formats(), &Form::name);
}

void set_format(Options& options, const std::string& name) {
  if (options.command == Command::list) {
    options.json = name == "json";
  } else if (options.command == Command::verify) {
    options.verify.format = named(report_forms, name).format;
  } else {
    const auto writer = std::ranges::find(render::writers(), name, &render::Writer::name);
    const bool is_text = writer != render::writers().end();
    options.format = is_text ? &*writer : &render::default_writer();
    options.tensors = is_text ? nullptr : &named(render::tensor_writers(), name);
  }
}

/// The names of the rules that apply to one of the chapters.
Words rules_here(const Options& options) {
  std::set<const WhatIf*> rules;
  for (const chapters::Chapter* chapter : options.chapters) {
    const std::vector<const WhatIf*> its = chapters::what_ifs(*chapter);
    rules.insert(its.begin(), its.end());
  }
  Words names;
  for (const WhatIf& what_if : all_what_ifs()) {
    rules.contains(&what_if) ? void(names.emplace_back(what_if.name)) : void();
  }
  return names;
}

constexpr unsigned by_all_commands = by_walks | by_list | by_verify | by_others | by_tour;
constexpr unsigned by_writers = by_walks | by_verify;
constexpr auto presents = "the presenter shows steps on the terminal, and writes no file";

}  // namespace

void add_actions(std::vector<Option>& table) {
  add(table, "Options", by_program | by_all_commands,
      {{.name = "-h", .doc = "show the common options and exit"},
       {.name = "--help", .doc = "show all options and exit"},
       {.name = "--version", .letter = "-V", .takers = by_program, .doc = "show the version and exit"},
       {.name = "--no-pager", .doc = "never show long output in a pager", .read = [](Options& o, const std::string&) {
          o.pager = false;
        }}});
  add(table, "Steps", by_walks,
      {{.name = "--article",
        .takers = by_articles,
        .is_common = true,
        .value = choice(articles_here, "ARTICLE"),
        .doc = "article to follow (default: the first that has it)",
        .read = set_article},
       {.name = "--steps",
        .is_common = true,
        .value = choice([](const Options&) {
          return Words{"all", "article"};
        }),
        .doc = "steps the article prints, or all (default: article)",
        .read = [](Options& o, const std::string& text) { o.all_steps = text == "all"; }},
       {.name = "--only",
        .others = "--show --names",
        .is_common = true,
        .value = some_value("NAME[,NAME...]"),
        .doc = "print only these steps",
        .read = [](Options& o, const std::string& text) { o.only = text::split(text); }}});
  add(table, "Explanation and teaching", by_walks,
      {{.name = "--step",
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
        .needs = can::questions,
        .clashes = {{{"--cell", "--what-if", "--explain", "--heatmap", "--save"},
                     "it would reveal the hidden numbers"}},
        .check = check_exercises},
       {.name = "--explain",
        .others = "--why --verbose",
        .is_common = true,
        .doc = "explain each step: shapes, purpose, what to notice",
        .read = [](Options& o, const std::string&) { o.explain = true; },
        .needs = can::sentences},
       {.name = "--heatmap",
        .is_common = true,
        .doc = "heat maps: numbers on cells, labelled by tokens",
        .read = [](Options& o, const std::string&) { o.heatmap = true; },
        .needs = can::colours},
       {.name = "--slides",
        .others = "--projector",
        .doc = "an HTML page with one step per screen, or printed sheet",
        .read = [](Options& o, const std::string&) { o.slides = true; },
        .needs = can::slides},
       {.name = "--live",
        .others = "--interactive-page",
        .takers = by_chapter,
        .doc = "an HTML page whose lesson can be changed; works offline",
        .read = [](Options& o, const std::string&) { o.live = true; },
        .needs = can::slides,
        .clashes = {{{"--inputs", "--second-inputs", "--weights"}, "the page cannot read your file again"},
                    {{"--only"}, "the page shows all steps"}},
        .check = check_live},
       {.name = "--color",
        .others = "--colour --colors --colours --no-color",
        .value = choice([](const Options&) { return words_of(colour_names); }),
        .doc = "colours of --heatmap and --step (default: auto)",
        .read = [](Options& o, const std::string& text) { o.colours = colour_names.at(text); }},
       {.name = "--cell",
        .takers = by_one,
        .value = some_value("NAME[I,J]"),
        .doc = "derive one number: attn_scores[1,2]",
        .read = [](Options& o, const std::string& text) { o.cell = text; },
        .needs = can::derivations},
       {.name = "--depth",
        .takers = by_one,
        .value = {.kind = ValueKind::depth, .placeholder = "N|full", .least = 1, .most = 1000, .example = 2},
        .doc = "with --cell: steps to follow back (default: 1)",
        .read = [](Options& o, const std::string& text) { o.depth = text == "full" ? 0 : whole_value(text); }},
       {.name = "--draws",
        .takers = by_chapter,
        .doc = "print the raw 32-bit random numbers instead of the steps",
        .read = [](Options& o, const std::string&) { o.draws = true; },
        .needs = can::draws,
        .clashes = {{{"--step", "--predict", "--what-if", "--cell", "--explain", "--heatmap"},
                     "it shows random draws instead of the steps"}}},
       {.name = "--what-if",
        .others = "--rule --without --change",
        .takers = by_one,
        .is_common = true,
        .value = choice(rules_here, "RULE"),
        .doc = "change one rule and mark what differs",
        .read = [](Options& o, const std::string& text) { o.what_if = &named(all_what_ifs(), text); },
        .needs = can::comparisons,
        .clashes = {{{"--cell", "--explain", "--heatmap"}, "a comparison prints the tensors of both walkthroughs"}}}});
  add(table, "Lessons to try", by_verify,
      {{.name = "--article",
        .is_common = true,
        .value = choice(articles_here, "ARTICLE"),
        .doc = "only this article's chapters",
        .read = [](Options& o, const std::string& text) { o.verify.article = &article_named(text); }},
       {.name = "--chapter",
        .is_common = true,
        .value = some_value("CHAPTER"),
        .doc = "only this chapter",
        .read = [](Options& o, const std::string& text) { o.verify.chapter = text; },
        .check = check_chapter}});
  add(table, "A port's tensors, with --chapter", by_verify,
      {{.name = "--rtol",
        .value = some_value("X", ValueKind::tolerance),
        .doc = "relative tolerance (default: 1.3e-6)",
        .read = [](Options& o, const std::string& text) { o.verify.rtol = number_value(text); }},
       {.name = "--atol",
        .is_common = true,
        .value = some_value("X", ValueKind::tolerance),
        .doc = "absolute tolerance (default: 1e-5)",
        .read = [](Options& o, const std::string& text) { o.verify.atol = number_value(text); }},
       {.name = "--only",
        .value = choice([](const Options&) { return Words{"wrong"}; }),
        .doc = "list only tensors that are not right",
        .read = [](Options& o, const std::string&) { o.verify.only_wrong = true; }},
       {.name = "--map",
        .is_common = true,
        .value = some_value("THEIRS=STEP[,...]", ValueKind::names),
        .doc = "match tensors to steps whose names differ",
        .read = [](Options& o, const std::string& text) { o.verify.names = names_value(text); }},
       {.name = "--ignore",
        .is_common = true,
        .value = some_value("GLOB[,...]"),
        .doc = "tensors to leave out; * matches any characters",
        .read = [](Options& o, const std::string& text) { o.verify.ignored = text::split(text); },
        .adds = true}});
  add(table, "Output", by_walks,
      {{.name = "--format",
        .others = "--json --html --markdown --svg --as",
        .takers = by_writers | by_list,
        .value = choice(format_names, "FORMAT"),
        .doc = "output format (default: text)",
        .read = set_format,
        .check = check_terminal},
       {.name = "--emit",
        .others = "--python --pytorch --numpy --program",
        .value = choice([](const Options&) { return names_in(emit::emitters(), &emit::Emitter::name); }),
        .doc = "print a program that reproduces this run",
        .read = [](Options& o, const std::string& text) { o.emit = &named(emit::emitters(), text); },
        .clashes = {{{"--format"}, "either is the form of the output"}}},
       {.name = "--save",
        .others = "--export --dump --write",
        .is_common = true,
        .value = some_value("DIR|FILE", ValueKind::save),
        .doc = "save every tensor: folder, .npz, .safetensors",
        .read = [](Options& o, const std::string& text) { o.save = text; }},
       {.name = "--output",
        .letter = "-o",
        .others = "--out --file --to",
        .takers = by_writers,
        .is_common = true,
        .value = some_value("FILE", ValueKind::output),
        .doc = "write FILE, in the format of its ending (-: standard output)",
        .read = [](Options& o,
                   const std::string& text) { o.output = text == "-" ? std::nullopt : std::optional(text); }},
       {.name = "--force",
        .takers = by_writers,
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
        .read = [](Options& o, const std::string&) { o.verify.allow_mistakes = true; }}});
}

}  // namespace attn::cli
