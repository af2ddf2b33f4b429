#include <algorithm>
#include <utility>

#include "cli/names.hpp"
#include "cli/parser.hpp"
#include "cli/text.hpp"
#include "cli/validators.hpp"
#include "what_if.hpp"

namespace attn::cli {
namespace {

using chapters::ChapterEntry;
using chapters::Takes;

const std::map<std::string, Format> step_format_names = {
    {"text", Format::text}, {"json", Format::json}, {"markdown", Format::markdown}, {"html", Format::html}};
const std::map<std::string, bool> format_names = {{"text", false}, {"json", true}};

std::string article_name(const ChapterEntry& chapter) {
  return std::string(chapters::article_entry(chapter.article).name);
}

}  // namespace

ChapterParser::ChapterParser(CLI::App& app, std::string name, Options& options)
    : Parser(app, options), name_(std::move(name)) {
  for (const ChapterEntry& entry : chapters::all_chapters()) {
    if (entry.name == name_) {
      entries_.push_back(&entry);
    }
  }
}

Takes ChapterParser::taken_somewhere() const {
  Takes takes;
  for (const ChapterEntry* entry : entries_) {
    takes.query = takes.query || entry->takes.query;
    takes.projections = takes.projections || entry->takes.projections;
    takes.batch = takes.batch || entry->takes.batch;
    takes.dropout = takes.dropout || entry->takes.dropout;
    takes.heads = takes.heads || entry->takes.heads;
  }
  return takes;
}

void ChapterParser::add_options() {
  const Takes takes = taken_somewhere();
  add_shown();
  add_classroom();
  add_inputs();
  if (takes.projections) {
    add_projections();
  }
  if (takes.dropout) {
    add_dropout();
  }
  add_kernels(name_of(cpu_names(), chapters::article_entry(entries_[0]->article).cpu));
  add_printing();
  app_.footer("Example:\n  attn-walkthrough " + name_ + " --seed 123 --steps all");
}

void ChapterParser::add_shown() {
  group("What is shown");
  std::string articles;
  for (const ChapterEntry* entry : entries_) {
    articles += (articles.empty() ? "" : "|") + article_name(*entry);
  }
  add("--article", articles, "whose program (" + article_name(*entries_[0]) + ")",
      [this](const CLI::results_t& texts) {
        article_ = texts.back();
        return true;
      });
  add_steps();
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

void ChapterParser::add_classroom() {
  group("In the classroom");
  flag("--step", "a presenter: one step at a time, ? for its keys", options_.step, true);
  number("--predict", "blank N cells of each tensor, ask for them, and mark the answers", options_.predict, 2);
  flag("--explain", "under each step its shapes, why it is there, what to notice", options_.explain, true);
  flag("--heatmap", "numbers on coloured cells, named by the tokens", options_.heatmap, true);
  text("--cell", "NAME[I,J]", "how one number came about: attn_scores[1,2]", options_.cell);
  add("--depth", "N|full", "with --cell: how many steps back (1)", [this](const CLI::results_t& texts) {
    options_.depth = texts.back() == "full" ? 0 : std::stoll(texts.back());
    return true;
  })->check([](const std::string& text) { return text == "full" ? std::string() : whole_number(1, 1000, 2)(text); });
  choice("--format", "a page to project, JSON, a handout (text)", step_format_names, options_.format);
  std::string rules;
  for (const WhatIf rule : entries_[0]->what_ifs) {
    rules += (rules.empty() ? "" : "|") + std::string(chapters::what_if_entry(rule).name);
  }
  text("--what-if", rules, "the walkthrough twice, side by side, with one rule changed", what_if_);
  text("--output,-o", "FILE", "write there instead of to standard output", options_.output);
}

void ChapterParser::add_inputs() {
  group("Inputs");
  Lesson& lesson = options_.lesson;
  add_seed(lesson.seed);
  number("--tokens", "random inputs of N tokens instead of the article's", lesson.tokens, 6);
  number("--d-in", "random inputs of N dimensions instead of the article's", lesson.d_in, 3);
  text("--sentence", "WORDS", "these words, embedded, instead of the article's inputs", lesson.sentence);
  if (taken_somewhere().batch) {
    number("--batch", "stack the same inputs N times", lesson.batch, 2);
  }
  if (taken_somewhere().query) {
    text("--query", "TOKEN|INDEX", "the token whose scores are computed by hand (the second)", lesson.query);
  }
}

void ChapterParser::add_projections() {
  group("Weights");
  Lesson& lesson = options_.lesson;
  number("--d-out", "dimensions of queries, keys and values", d_out_, 3);
  number("--d-out-kq", "dimensions of queries and keys", lesson.d_out_kq, 3);
  number("--d-out-v", "dimensions of values", lesson.d_out_v, 3);
  choice("--init", "nn.Parameter(torch.rand), nn.Parameter(torch.randn) or nn.Linear", init_names(), lesson.init);
  flag("--qkv-bias", "nn.Linear with a bias", lesson.qkv_bias, true);
  if (taken_somewhere().heads) {
    number("--num-heads", "attention heads; heads that share d_out must divide it", lesson.num_heads, 3);
  }
}

void ChapterParser::add_dropout() {
  group("Dropout");
  Lesson& lesson = options_.lesson;
  add("--dropout", "P", "the probability to drop a weight", [&lesson](const CLI::results_t& texts) {
    lesson.dropout = probability_value(texts.back());
    return true;
  })->check(probability());
  choice("--dropout-kernel", "which of PyTorch's two Bernoulli kernels draws (default)", dropout_kernel_names(),
         lesson.dropout_kernel);
}

void ChapterParser::finish() {
  std::vector<std::string> articles;
  const ChapterEntry* chosen = article_ ? nullptr : entries_[0];
  for (const ChapterEntry* entry : entries_) {
    articles.push_back(article_name(*entry));
    if (article_ && *article_ == articles.back()) {
      chosen = entry;
    }
  }
  if (chosen == nullptr) {
    const bool is_article = article_names().contains(*article_);
    throw UsageError("--article: '" + *article_ + "' " + (is_article ? "has no chapter " + name_ : "is not known") +
                     "; accepted are " + joined(articles) + "; see attn-walkthrough list");
  }
  check_taken(*chosen);

  Lesson& lesson = options_.lesson;
  lesson.article = chosen->article;
  lesson.kernels = kernels(chosen->article);
  lesson.d_out_kq = lesson.d_out_kq ? lesson.d_out_kq : d_out_;
  lesson.d_out_v = lesson.d_out_v ? lesson.d_out_v : d_out_;
  if (lesson.qkv_bias && lesson.init.value_or(chosen->init) != Init::linear) {
    throw UsageError("--qkv-bias needs weights from nn.Linear; accepted with --init linear; add it, or leave "
                     "--qkv-bias out");
  }
  check_forms();
  // On a page a step links to those that it came from, printed by the article or not.
  options_.all_steps = options_.all_steps || (options_.format == Format::html && app_.count("--steps") == 0);
  if (what_if_) {
    lesson.what_if = rule_of(*chosen);
  }
  options_.command = Command::walk;
  options_.chapters = {chosen};
}

WhatIf ChapterParser::rule_of(const ChapterEntry& chapter) const {
  std::vector<std::string> names;
  for (const WhatIf rule : chapter.what_ifs) {
    const chapters::WhatIfEntry& entry = chapters::what_if_entry(rule);
    if (entry.name == *what_if_) {
      return rule;
    }
    names.emplace_back(entry.name);
  }
  const std::string near = nearest(*what_if_, names);
  throw UsageError("--what-if: '" + *what_if_ + "' has no meaning in " + name_ + " of " + article_name(chapter) +
                   "; accepted are " + joined(names) + (names.empty() ? "" : "; try " + (near.empty() ? names[0] : near)));
}

void ChapterParser::check_forms() const {
  const bool is_text = options_.format == Format::text;
  if (options_.cell && (options_.explain || options_.heatmap || !is_text || !options_.only.empty())) {
    throw UsageError("--cell shows one number's derivation; accepted beside it are --depth, inputs and sizes; "
                     "leave --explain, --heatmap, --format and --only out");
  }
  if (what_if_ && (options_.cell || options_.explain || options_.heatmap || !is_text)) {
    throw UsageError("--what-if shows two walkthroughs side by side; accepted beside it are --only, --save (the changed one), "
                     "inputs and sizes; leave --cell, --explain, --heatmap and --format out");
  }
  const bool plays = options_.step || options_.predict;
  if (plays && (options_.cell || options_.explain || options_.heatmap || what_if_ || !is_text || options_.save ||
                options_.output || (options_.step && options_.predict))) {
    throw UsageError(std::string(options_.step ? "--step" : "--predict") +
                     " is for the keyboard; accepted beside it are --steps, --only, inputs, sizes and printing; "
                     "leave the other forms out");
  }
  if (options_.explain && options_.heatmap) {
    throw UsageError("--explain and --heatmap write different things under a step; accepted is one of them; "
                     "leave the other out");
  }
  if (!options_.cell && app_.count("--depth") > 0) {
    throw UsageError("--depth says how far a derivation goes; accepted with --cell; try --cell attn_scores[1,2]");
  }
  if (!is_text && options_.heatmap) {
    throw UsageError("--heatmap is for terminals; accepted with --format text; leave one of them out");
  }
}

void ChapterParser::check_taken(const ChapterEntry& chapter) const {
  struct Given {
    const char* option;
    bool Takes::*taken;
  };
  for (const auto& [option, taken] :
       {Given{"--batch", &Takes::batch}, Given{"--query", &Takes::query}, Given{"--dropout", &Takes::dropout},
        Given{"--dropout-kernel", &Takes::dropout}, Given{"--num-heads", &Takes::heads},
        Given{"--d-out", &Takes::projections}}) {
    if (chapter.takes.*taken || !(taken_somewhere().*taken) || app_.count(option) == 0) {
      continue;
    }
    std::vector<std::string> articles;
    for (const ChapterEntry* entry : entries_) {
      if (entry->takes.*taken) {
        articles.push_back(article_name(*entry));
      }
    }
    throw UsageError(std::string(option) + " has no meaning in " + name_ + " of " + article_name(chapter) +
                     "; it is accepted with --article " + joined(articles) + "; leave it out, or choose another");
  }
}

void AllParser::add_options() {
  group("What is shown");
  choice("--article", "whose chapters (blog)", article_names(), article_);
  add_steps();
  add_seed(options_.lesson.seed);
  add_kernels("the article's");
  choice("--dropout-kernel", "which of PyTorch's two Bernoulli kernels draws (default)", dropout_kernel_names(),
         options_.lesson.dropout_kernel);
  add_printing();
}

void AllParser::finish() {
  options_.command = Command::walk;
  options_.lesson.article = article_;
  options_.lesson.kernels = kernels(article_);
  for (const ChapterEntry& entry : chapters::all_chapters()) {
    if (entry.article == article_) {
      options_.chapters.push_back(&entry);
    }
  }
}

void ListParser::add_options() { choice("--format", "text or JSON (text)", format_names, options_.json); }

void ListParser::finish() { options_.command = Command::list; }

void VerifyParser::add_options() {
  VerifyOptions& verify = options_.verify;
  app_.add_option("FILE", verify.files, "text, Markdown, HTML, a notebook, a terminal's log; - is standard input")
      ->type_name("");
  group("What the page may show");
  choice("--article", "only this article's chapters", article_names(), verify.article);
  text("--chapter", "CHAPTER", "only this chapter", verify.chapter);
  add_seed(verify.seed);
  choice("--cpu", "only these of PyTorch's two sets of CPU kernels", cpu_names(), verify.cpu);
  choice("--blas", "only these OpenBLAS kernels (all that run here)", blas_names(), verify.blas);
  choice("--dropout-kernel", "only this of PyTorch's two Bernoulli kernels", dropout_kernel_names(),
         verify.dropout_kernel);
  group("The report");
  choice("--format", "text or JSON (text)", format_names, options_.json);
  app_.footer("Exit code 0: all hold; 1: something differs; 2: unreadable, or no tensor found.\n\n"
              "Example:\n  attn-walkthrough causal | attn-walkthrough verify -");
}

void VerifyParser::finish() {
  options_.command = Command::verify;
  const VerifyOptions& verify = options_.verify;
  if (verify.files.empty()) {
    throw UsageError("verify needs a page; accepted are file names, and - for standard input; "
                     "try attn-walkthrough verify page.txt");
  }
  if (!verify.chapter) {
    return;
  }
  std::vector<std::string> names;
  for (const ChapterEntry& entry : chapters::all_chapters()) {
    const bool fits = !verify.article || entry.article == *verify.article;
    if (fits && std::find(names.begin(), names.end(), entry.name) == names.end()) {
      names.emplace_back(entry.name);
    }
  }
  if (std::find(names.begin(), names.end(), *verify.chapter) == names.end()) {
    throw UsageError("--chapter: there is no chapter '" + *verify.chapter + "' here; accepted are " + joined(names) +
                     "; see attn-walkthrough list");
  }
}

}  // namespace attn::cli
