#include <algorithm>
#include <utility>

#include "cli/names.hpp"
#include "cli/parser.hpp"
#include "text/lines.hpp"
#include "text/nearest.hpp"
#include "cli/validators.hpp"

namespace attn::cli {
namespace {

using chapters::Chapter;
using chapters::Takes;

const std::map<std::string, bool> format_names = {{"text", false}, {"json", true}};
const std::map<std::string, ReportFormat> report_format_names = {
    {"text", ReportFormat::text}, {"json", ReportFormat::json}, {"html", ReportFormat::html}};

std::string article_name(const Chapter& chapter) {
  return std::string(chapter.article->name);
}

}  // namespace

ChapterParser::ChapterParser(CLI::App& app, std::string name, Options& options)
    : Parser(app, options), name_(std::move(name)) {
  for (const Chapter& entry : chapters::all_chapters()) {
    if (entry.name == name_) {
      entries_.push_back(&entry);
    }
  }
}

Takes ChapterParser::taken_somewhere() const {
  Takes takes;
  for (const Chapter* entry : entries_) {
    takes.query = takes.query || entry->takes.query;
    takes.projections = takes.projections || entry->takes.projections;
    takes.batch = takes.batch || entry->takes.batch;
    takes.dropout = takes.dropout || entry->takes.dropout;
    takes.heads = takes.heads || entry->takes.heads;
    takes.second_inputs = takes.second_inputs || entry->takes.second_inputs;
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
  add_kernels(name_of(cpu_names(), entries_[0]->article->cpu));
  add_printing();
  footer("Example:\n  attn-walkthrough " + name_ + " --seed 123 --steps all");
}

void ChapterParser::add_shown() {
  group("What is shown");
  std::string articles;
  for (const Chapter* entry : entries_) {
    articles += (articles.empty() ? "" : "|") + article_name(*entry);
  }
  add("--article", articles, "whose program (" + article_name(*entries_[0]) + ")",
      [this](const std::string& text) { article_ = text; });
  add_steps();
  add("--only", "NAME[,NAME...]", "these steps alone", [this](const std::string& text) { options_.only = text::split(text); });
  add_save("also write every tensor as DIR/NAME.npy, FILE.npz or .safetensors");
}

void ChapterParser::add_classroom() {
  group("In the classroom");
  flag("--step", "a presenter: one step at a time, ? for its keys", options_.step, true);
  const auto store_seconds = [this](const std::string& text) { options_.seconds = number_value(text); };
  add("--auto", "SECONDS", "with --step: go on by itself after so long", store_seconds, seconds());
  number("--predict", "blank N cells of each tensor, ask for them, and mark the answers", options_.predict, 2);
  add_explain_and_heatmap();
  text("--cell", "NAME[I,J]", "how one number came about: attn_scores[1,2]", options_.cell);
  const auto store_depth = [this](const std::string& text) { options_.depth = text == "full" ? 0 : std::stoll(text); };
  add("--depth", "N|full", "with --cell: how many steps back (1)", store_depth, depth());
  add_format();
  add_emit();
  flag("--draws", "each random draw instead: its raw 32-bit word, and what it became", options_.draws, true);
  text("--what-if", "", "the walkthrough twice, side by side, with one rule changed", what_if_);
  // Which rules there are is asked of the chapter's graph, which only the help needs.
  placeholder("--what-if", [this] {
    std::string rules;
    for (const WhatIf* what_if : chapters::what_ifs(entry_named_so_far())) {
      rules += (rules.empty() ? "" : "|") + std::string(what_if->name);
    }
    return rules;
  });
  add_output("FILE, or a DIR that --save wrote, where it exists");
}

const Chapter& ChapterParser::entry_named_so_far() const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [this](const Chapter* entry) { return entry->article->name == article_; });
  return found == entries_.end() ? *entries_[0] : **found;
}

void ChapterParser::add_inputs() {
  group("Inputs");
  Lesson& lesson = options_.lesson;
  add_seed(lesson.seed);
  number("--tokens", "random inputs of N tokens instead of the article's", lesson.tokens, 6);
  number("--d-in", "random inputs of N dimensions instead of the article's", lesson.d_in, 3);
  text("--sentence", "WORDS", "these words, embedded, instead of the article's inputs", lesson.sentence);
  add_own_inputs();
  if (taken_somewhere().second_inputs) {
    add_own_second_inputs();
  }
  if (taken_somewhere().batch) {
    number("--batch", "stack the same inputs N times", lesson.batch, 2);
  }
  if (taken_somewhere().query) {
    text("--query", "TOKEN|INDEX", "the token whose scores are computed by hand (the second)", lesson.query);
  }
  add_fixture(lesson);
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
  add_own_weights();
}

void ChapterParser::add_dropout() {
  group("Dropout");
  Lesson& lesson = options_.lesson;
  const auto store = [&lesson](const std::string& text) { lesson.dropout = number_value(text); };
  add("--dropout", "P", "the probability to drop a weight", store, probability());
  choice("--dropout-kernel", "which of PyTorch's two Bernoulli kernels draws (default)", dropout_kernel_names(),
         lesson.dropout_kernel);
}

void ChapterParser::finish() {
  std::vector<std::string> articles;
  const Chapter* chosen = article_ ? nullptr : entries_[0];
  for (const Chapter* entry : entries_) {
    articles.push_back(article_name(*entry));
    if (article_ && *article_ == articles.back()) {
      chosen = entry;
    }
  }
  if (chosen == nullptr) {
    const bool is_article = article_names().contains(*article_);
    const std::string near = text::nearest(*article_, articles);
    throw UsageError("--article: '" + *article_ + "' " + (is_article ? "has no chapter " + name_ : "is not known") +
                     "; accepted are " + text::joined(articles) +
                     (near.empty() ? "; see attn-walkthrough list" : "; try --article " + near));
  }
  check_taken(*chosen);

  Lesson& lesson = options_.lesson;
  lesson.kernels = kernels(*chosen->article);
  if (d_out_ && lesson.d_out_kq && lesson.d_out_v) {
    throw UsageError("--d-out with --d-out-kq and --d-out-v: these two are all that it stands for; accepted is --d-out "
                     "with one of them; leave --d-out out");
  }
  lesson.d_out_kq = lesson.d_out_kq ? lesson.d_out_kq : d_out_;
  lesson.d_out_v = lesson.d_out_v ? lesson.d_out_v : d_out_;
  if (lesson.qkv_bias && lesson.init.value_or(lesson.fixture ? Init::linear : chosen->init) != Init::linear) {
    throw UsageError("--qkv-bias needs weights from nn.Linear; accepted with --init linear; add it, or leave "
                     "--qkv-bias out");
  }
  if (what_if_) {
    options_.what_if = &what_if_of(*chosen);
  }
  options_.all_steps = options_.all_steps || (options_.format->shows_all_steps && !is_given("--steps"));
  options_.command = Command::walk;
  options_.chapters = {chosen};
  check_rules();
  check_page(name_);
  read_own_tensors(lesson);
}

const WhatIf& ChapterParser::what_if_of(const Chapter& chapter) const {
  std::vector<std::string> names;
  for (const WhatIf* what_if : chapters::what_ifs(chapter)) {
    if (what_if->name == *what_if_) {
      return *what_if;
    }
    names.emplace_back(what_if->name);
  }
  const std::string near = text::nearest(*what_if_, names);
  throw UsageError("--what-if: '" + *what_if_ + "' has no meaning in " + name_ + " of " + article_name(chapter) +
                   "; accepted are " + text::joined(names) + (names.empty() ? "" : "; try " + (near.empty() ? names[0] : near)));
}

void ChapterParser::check_taken(const Chapter& chapter) const {
  struct Given {
    const char* option;
    bool Takes::*taken;
  };
  for (const auto& [option, taken] :
       {Given{"--batch", &Takes::batch}, Given{"--query", &Takes::query}, Given{"--dropout", &Takes::dropout},
        Given{"--dropout-kernel", &Takes::dropout}, Given{"--num-heads", &Takes::heads},
        Given{"--d-out", &Takes::projections}, Given{"--second-inputs", &Takes::second_inputs}}) {
    if (chapter.takes.*taken || !(taken_somewhere().*taken) || !is_given(option)) {
      continue;
    }
    std::vector<std::string> articles;
    for (const Chapter* entry : entries_) {
      if (entry->takes.*taken) {
        articles.push_back(article_name(*entry));
      }
    }
    throw UsageError(std::string(option) + " has no meaning in " + name_ + " of " + article_name(chapter) +
                     "; it is accepted with --article " + text::joined(articles) + "; leave it out, or choose another");
  }
}

void AllParser::add_options() {
  group("What is shown");
  choice("--article", "whose chapters (blog)", article_names(), article_);
  add_steps();
  add_save("every tensor as DIR/CHAPTER/NAME.npy, FILE.npz or .safetensors");
  add_explain_and_heatmap();
  add_format();
  add_emit();
  add_output("FILE, or a DIR that --save wrote, where it exists");
  add_seed(options_.lesson.seed);
  add_fixture(options_.lesson);
  add_kernels("the article's");
  choice("--dropout-kernel", "which of PyTorch's two Bernoulli kernels draws (default)", dropout_kernel_names(),
         options_.lesson.dropout_kernel);
  add_printing();
}

void AllParser::finish() {
  check_dropout_kernel();
  options_.all_steps = options_.all_steps || (options_.format->shows_all_steps && !is_given("--steps"));
  options_.command = Command::walk;
  options_.lesson.kernels = kernels(*article_);
  for (const Chapter& chapter : article_->chapters) {
    options_.chapters.push_back(&chapter);
  }
  check_rules();
  check_page(std::string(article_->name));
}

void AllParser::check_dropout_kernel() const {
  const auto draws = [](const chapters::Article& article) {
    return std::any_of(article.chapters.begin(), article.chapters.end(),
                       [](const Chapter& chapter) { return chapter.takes.dropout; });
  };
  if (draws(*article_) || !is_given("--dropout-kernel")) {
    return;
  }
  std::vector<std::string> others;
  for (const chapters::Article& article : chapters::all_articles()) {
    if (draws(article)) {
      others.emplace_back(article.name);
    }
  }
  throw UsageError("--dropout-kernel has no meaning in all of " + std::string(article_->name) +
                   ", which drops nothing; it is accepted with --article " + text::joined(others) +
                   "; leave it out, or choose another");
}

void ListParser::add_options() { choice("--format", "text or JSON (text)", format_names, options_.json); }

void ListParser::finish() { options_.command = Command::list; }

void VerifyParser::add_options() {
  VerifyOptions& verify = options_.verify;
  add_files("FILE", "text, Markdown, HTML, a notebook, a terminal's log; - is standard input; or a folder or file of tensors",
            verify.files);
  group("What the page may show");
  choice("--article", "only this article's chapters", article_names(), verify.article);
  text("--chapter", "CHAPTER", "only this chapter", verify.chapter);
  choice("--cpu", "only these of PyTorch's three sets of CPU kernels", cpu_names(), verify.cpu);
  choice("--blas", "only these OpenBLAS kernels (all that run here)", blas_names(), verify.blas);
  choice("--dropout-kernel", "only this of PyTorch's two Bernoulli kernels", dropout_kernel_names(),
         verify.dropout_kernel);
  add_lesson();
  group("A port's tensors: .npy, .npz, .safetensors, .csv, or a folder of .npy; with --chapter");
  const auto store_number = [](std::optional<double>& target) {
    return [&target](const std::string& text) { target = number_value(text); };
  };
  add("--rtol", "X", "relative tolerance (1.3e-6)", store_number(verify.rtol), tolerance());
  add("--atol", "X", "absolute tolerance (1e-5)", store_number(verify.atol), tolerance());
  add("--map", "THEIRS=STEP[,...]", "which tensor is which step, where the names do not tell",
      [&verify](const std::string& text) { verify.names = name_pairs_of(text); }, name_pairs());
  group("The report");
  choice("--format", "text, JSON, or a page with the tensors tinted (text)", report_format_names, verify.format);
  add_output("FILE where it exists");
  flag("--strict", "exit with 1 where a tensor is unknown as well", verify.strict, true);
  footer("Exit code 0: nothing differs; 1: something does; 2: unreadable, or no tensor at all.\n\n"
              "Examples:\n  attn-walkthrough causal | attn-walkthrough verify -\n  attn-walkthrough verify steps.npz --chapter causal");
}

/// What the page's program is known to have set. What is not given is tried.
void VerifyParser::add_lesson() {
  Lesson& lesson = options_.verify.lesson;
  group("What the page's program is known to set; all else is tried");
  add_seed(lesson.seed);
  number("--d-out", "dimensions of queries, keys and values", d_out_, 3);
  number("--d-out-kq", "dimensions of queries and keys", lesson.d_out_kq, 3);
  number("--d-out-v", "dimensions of values", lesson.d_out_v, 3);
  choice("--init", "nn.Parameter(torch.rand), nn.Parameter(torch.randn) or nn.Linear", init_names(), lesson.init);
  flag("--qkv-bias", "nn.Linear with a bias", lesson.qkv_bias, true);
  number("--num-heads", "attention heads", lesson.num_heads, 3);
  number("--batch", "the same inputs N times", lesson.batch, 2);
  const auto store = [&lesson](const std::string& text) { lesson.dropout = number_value(text); };
  add("--dropout", "P", "the probability to drop a weight", store, probability());
  number("--tokens", "random inputs of N tokens instead of the article's", lesson.tokens, 6);
  number("--d-in", "random inputs of N dimensions instead of the article's", lesson.d_in, 3);
  text("--sentence", "WORDS", "these words, embedded, instead of the article's inputs", lesson.sentence);
  text("--query", "TOKEN|INDEX", "the token whose scores are computed by hand", lesson.query);
  add_own_inputs();
  add_own_second_inputs();
  add_own_weights();
  add_fixture(lesson);
}

void VerifyParser::finish() {
  options_.command = Command::verify;
  VerifyOptions& verify = options_.verify;
  check_rules();
  check_page("report");
  read_own_tensors(verify.lesson);
  verify.is_seed_given = is_given("--seed");
  verify.lesson.d_out_kq = verify.lesson.d_out_kq ? verify.lesson.d_out_kq : d_out_;
  verify.lesson.d_out_v = verify.lesson.d_out_v ? verify.lesson.d_out_v : d_out_;
  if (verify.lesson.qkv_bias && verify.lesson.init.value_or(Init::linear) != Init::linear) {
    throw UsageError("--qkv-bias needs weights from nn.Linear; accepted with --init linear; add it, or leave "
                     "--qkv-bias out");
  }
  if (verify.files.empty()) {
    throw UsageError("verify needs a page; accepted are file names, and - for standard input; "
                     "try attn-walkthrough verify page.txt");
  }
  if (!verify.chapter) {
    return;
  }
  std::vector<std::string> names;
  for (const Chapter& entry : chapters::all_chapters()) {
    const bool fits = verify.article == nullptr || entry.article == verify.article;
    if (fits && std::find(names.begin(), names.end(), entry.name) == names.end()) {
      names.emplace_back(entry.name);
    }
  }
  if (std::find(names.begin(), names.end(), *verify.chapter) == names.end()) {
    const std::string near = text::nearest(*verify.chapter, names);
    throw UsageError("--chapter: there is no chapter '" + *verify.chapter + "' here; accepted are " + text::joined(names) +
                     (near.empty() ? "; see attn-walkthrough list" : "; try --chapter " + near));
  }
}

}  // namespace attn::cli
