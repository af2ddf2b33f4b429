// Which step a printed tensor is, which of its cells do not hold, and which explanation a page has. The pages are
// golden files, which PyTorch made; damaged copies of them must be caught at the right cell.

#include "verify/explain/match.hpp"
#include "sample.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "chapter.hpp"
#include "inputs.hpp"
#include "render/text.hpp"
#include "verify/explain/finding.hpp"
#include "verify/page/page.hpp"
#include "verify/page/printed.hpp"

namespace {

using namespace attn;
using namespace attn::verify;

std::string golden(const std::string& file) {
  std::ifstream in(std::string(ATTN_GOLDEN_DIR) + "/" + file, std::ios::binary);
  REQUIRE(in);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Kernel {
  Cpu cpu = Cpu::avx2;
  DropoutKernel dropout = DropoutKernel::standard;
};

const chapters::Article& article_named(const std::string& name) {
  return *std::find_if(chapters::all_articles().begin(), chapters::all_articles().end(),
                       [&](const chapters::Article& one) { return one.name == name; });
}

Explanation chapter_of(const chapters::Chapter& entry, const Kernel& kernel) {
  const chapters::Article& article = *entry.article;
  Explanation explanation;
  explanation.article = article.name;
  explanation.chapter = entry.name;
  explanation.chapter_order = static_cast<std::size_t>(&entry - article.chapters.data());
  explanation.cpu = kernel.cpu == Cpu::avx2 ? "avx2" : "default";
  explanation.dropout_kernel = kernel.dropout == DropoutKernel::mkl ? "mkl" : "default";
  explanation.preferred = kernel.cpu == article.cpu && kernel.dropout == DropoutKernel::standard;
  explanation.slips.assign(article.slips.begin(), article.slips.end());
  const Lesson lesson;
  explanation.tokens = chapters::token_words(article, lesson);
  torch::Torch torch({kernel.cpu, Blas::haswell}, kernel.dropout, torch::Torch::Mode::compute);
  explanation.steps = chapters::walk(entry, lesson, torch).steps();
  return explanation;
}

/// An article's chapters, or those that are asked for.
std::vector<Explanation> explanations_of(const std::string& name, DropoutKernel dropout,
                                         const std::vector<std::string>& only = {}) {
  std::vector<Explanation> made;
  const chapters::Article& article = article_named(name);
  for (const chapters::Chapter& entry : article.chapters) {
    if (only.empty() || std::find(only.begin(), only.end(), entry.name) != only.end()) {
      made.push_back(chapter_of(entry, {article.cpu, dropout}));
    }
  }
  return made;
}

std::vector<Explanation> joined(std::vector<Explanation> a, const std::vector<Explanation>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// blog and ahead-of-ai with both kernels of either sort.
const std::vector<Explanation>& all_explanations() {
  static const std::vector<Explanation> all = [] {
    std::vector<Explanation> made;
    for (const char* article : {"blog", "ahead-of-ai"}) {
      for (const DropoutKernel dropout : {DropoutKernel::standard, DropoutKernel::mkl}) {
        made = joined(std::move(made), explanations_of(article, dropout));
      }
    }
    return made;
  }();
  return all;
}

/// A page, what is printed on it, and the report; kept together because each points into the one before.
struct Verified {
  explicit Verified(const std::string& text, std::span<const Explanation> explanations = all_explanations())
      : page(parse_page("page.txt", text)), printed(find_printed(page)), report(match(printed, explanations)) {}
  Verified(const Verified&) = delete;
  Verified& operator=(const Verified&) = delete;

  std::vector<const Finding*> failing() const {
    std::vector<const Finding*> result;
    for (const Finding& finding : report.findings) {
      if (!holds(finding.verdict)) {
        result.push_back(&finding);
      }
    }
    return result;
  }

  Page page;
  std::vector<Printed> printed;
  Report report;
};

Cell cell(std::string_view text, double value, double unit) { return {text, value, unit}; }

/// A step of given numbers.
Step step_of(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  std::vector<std::vector<float>> rows;
  const auto columns = static_cast<std::size_t>(shape.back());
  for (std::size_t i = 0; i < values.size(); i += columns) {
    rows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(i),
                      values.begin() + static_cast<std::ptrdiff_t>(i + columns));
  }
  const Tensor tensor = shape.size() == 1 ? index(torch::tensor(rows), 0) : torch::tensor(rows);
  return {Step::Kind::tensor, "", name, name + "\n", true, tensor, ""};
}

Explanation made_of(std::vector<Step> steps) {
  Explanation explanation;
  explanation.article = "made";
  explanation.chapter = "chapter";
  explanation.cpu = "avx2";
  explanation.dropout_kernel = "default";
  explanation.steps = std::move(steps);
  return explanation;
}

}  // namespace

TEST_SUITE("compare_cell") {
  TEST_CASE("the step's number is written in the cell's style") {
    CHECK(in_format_of(cell("0.4519", 0.4519, 1e-4), -0.25) == "-0.2500");
    CHECK(in_format_of(cell("2.", 2, 0), 3) == "3.");
    CHECK(in_format_of(cell("7", 7, 0), 8) == "8");
    CHECK(in_format_of(cell("2.50e-01", 0.25, 1e-3), 0.125) == "1.25e-01");
    CHECK(in_format_of(cell("True", 1, 0), 0) == "False");
    CHECK(in_format_of(cell("1.0", 1, 0.1), -std::numeric_limits<double>::infinity()) == "-inf");
  }
}

TEST_SUITE("match: what PyTorch printed") {
  TEST_CASE("every golden file matches unchanged") {
    const std::vector<std::string> files{"blog/simplified", "blog/trainable", "blog/causal",
                                         "blog/dropout",    "blog/multihead", "ahead-of-ai/cross"};
    for (const std::string& file : files) {
      for (const char* ending : {".txt", ".all.txt"}) {
        CAPTURE(file + ending);
        const Verified verified(golden(file + ending));
        REQUIRE(verified.report.lessons.size() == 1);
        CHECK(verified.report.lessons[0]->article == file.substr(0, file.find('/')));
        CHECK(verified.report.lessons[0]->preferred);
        CHECK(verified.report.notes.empty());
        for (const Finding& finding : verified.report.findings) {
          CAPTURE(finding.printed->label);
          CHECK(finding.verdict == Verdict::same);
          CHECK(finding.differences.empty());
        }
      }
    }
  }

  TEST_CASE("each printed tensor is the step that printed it") {
    const Verified verified(golden("blog/causal.txt"));
    std::string names;
    for (const Finding& finding : verified.report.findings) {
      CHECK(finding.chapter() == "causal");
      names += finding.step->name + " ";
    }
    CHECK(names ==
          "keys queries values attn_scores masked_attn_scores attn_weights dropout_attn_weights context_vecs "
          "context_vecs ");
  }

  TEST_CASE("the chapter of the whole page wins over one that matches only its beginning") {
    const Verified verified(golden("blog/dropout.txt"));
    for (const Finding& finding : verified.report.findings) {
      CHECK(finding.chapter() == "dropout");
      CHECK(finding.step->in_article);
    }
  }

  TEST_CASE("the pages' tensors match, except for lost spacing") {
    for (const char* file :
         {"blog-simplified", "blog-trainable", "blog-causal", "blog-multihead", "ahead-of-ai-cross"}) {
      CAPTURE(file);
      const Verified verified(golden("pages/" + std::string(file) + ".txt"));
      CHECK(verified.failing().empty());
    }
  }
}

// ---- Damaged copies of golden files -------------------------------------------------------------

namespace {

/// A golden file and what is found on it.
struct Golden {
  explicit Golden(const std::string& file) : name(file), text(golden(file)), verified(text) {
    REQUIRE(verified.page.text() == text);
  }

  const Printed& printed(std::size_t i) const { return verified.printed[i]; }
  const Finding& finding(std::size_t i) const { return verified.report.findings[i]; }
  std::size_t tensors() const { return verified.printed.size(); }
  std::size_t offset_of(const Cell& one) const {
    return static_cast<std::size_t>(one.text.data() - verified.page.text().data());
  }
  std::string replaced(std::size_t offset, std::size_t length, std::string_view by) const {
    return std::string(text).replace(offset, length, by);
  }

  std::string name;
  std::string text;
  Verified verified;
};

const Golden& causal_golden() {
  static const Golden page("blog/causal.txt");
  return page;
}

/// Calls back for each cell of several pages, or a sample of them: the page, the tensor's place on it, and the cell's
/// in the tensor.
template <class Visit>
void for_each_cell(Visit visit) {
  std::size_t row = 0;
  for (const char* file : {"blog/simplified.txt", "blog/trainable.txt", "blog/causal.txt", "blog/multihead.txt",
                           "ahead-of-ai/cross.txt"}) {
    const Golden page(file);
    for (std::size_t tensor = 0; tensor < page.tensors(); ++tensor) {
      const Printed& printed = page.printed(tensor);
      for (std::size_t i = 0; i < printed.cells.size() && printed.kind == Printed::Kind::tensor; ++i) {
        CAPTURE(page.name);
        CAPTURE(tensor);
        CAPTURE(i);
        if (test::is_in_sample(row++)) {
          visit(page, tensor, i);
        }
      }
    }
  }
}

bool is_only_difference(const Golden& page, const Verified& damaged, std::size_t tensor, std::size_t i,
                        Verdict verdict) {
  const Finding& finding = damaged.report.findings.at(tensor);
  const bool elsewhere_same =
      std::all_of(damaged.report.findings.begin(), damaged.report.findings.end(),
                  [&](const Finding& other) { return &other == &finding || other.verdict == Verdict::same; });
  return elsewhere_same && finding.verdict == verdict && finding.step == page.finding(tensor).step &&
         finding.differences.size() == 1 &&
         finding.differences.front().index == index_at(static_cast<std::int64_t>(i), finding.printed->shape) &&
         finding.differences.front().expected == page.printed(tensor).cells[i].text;
}

bool has_digits(const Cell& one) {
  return std::isfinite(one.value) && one.text.find_first_of("0123456789") != std::string_view::npos;
}

std::string other_digit(char digit) { return std::string(1, digit == '9' ? '8' : static_cast<char>(digit + 1)); }

/// The rows of a tensor, as text without the brackets: offset and length.
struct Row {
  std::size_t offset;
  std::size_t length;
};

std::vector<Row> rows_of(const Golden& page, const Printed& printed) {
  std::vector<Row> rows;
  const auto columns = static_cast<std::size_t>(printed.shape.back());
  for (std::size_t i = 0; i < printed.cells.size(); i += columns) {
    const Cell& last = printed.cells[i + columns - 1];
    const std::size_t begin = page.offset_of(printed.cells[i]);
    rows.push_back({begin, page.offset_of(last) + last.text.size() - begin});
  }
  return rows;
}

}  // namespace

TEST_SUITE("match: a damaged page is caught at the right cell") {
  TEST_CASE("the last digit of every cell") {
    for_each_cell([](const Golden& page, std::size_t tensor, std::size_t i) {
      const Cell& one = page.printed(tensor).cells[i];
      if (!has_digits(one)) {
        return;
      }
      const std::size_t last = page.offset_of(one) + one.text.find_last_of("0123456789");
      const Verified damaged(page.replaced(last, 1, other_digit(page.text[last])));
      CAPTURE(one.text);
      const Finding& finding = damaged.report.findings.at(tensor);
      // What follows from others follows up to their last digits as well.
      const bool follows = one.unit > 0 && finding.verdict == Verdict::follows;
      CHECK((follows ||
             is_only_difference(page, damaged, tensor, i, one.unit > 0 ? Verdict::last_digit : Verdict::differs)));
    });
  }

  TEST_CASE("the first and the second digit of every cell") {
    for_each_cell([](const Golden& page, std::size_t tensor, std::size_t i) {
      const Cell& one = page.printed(tensor).cells[i];
      if (!has_digits(one)) {
        return;
      }
      const std::size_t first = page.offset_of(one) + (one.text.front() == '-' ? 1 : 0);
      for (const std::size_t offset : {first, first + 2}) {
        if (offset < page.offset_of(one) + one.text.size()) {
          const Verified damaged(page.replaced(offset, 1, other_digit(page.text[offset])));
          CAPTURE(one.text);
          CHECK(is_only_difference(page, damaged, tensor, i, Verdict::differs));
        }
      }
    });
  }

  TEST_CASE("the sign of every cell that is not zero") {
    for_each_cell([](const Golden& page, std::size_t tensor, std::size_t i) {
      const Cell& one = page.printed(tensor).cells[i];
      if (one.value == 0 || page.printed(tensor).is_bool) {
        return;
      }
      const std::size_t offset = page.offset_of(one);
      const Verified damaged(one.text.front() == '-' ? page.replaced(offset, 1, " ") : page.replaced(offset, 0, "-"));
      CAPTURE(one.text);
      CHECK(is_only_difference(page, damaged, tensor, i, Verdict::differs));
    });
  }

  TEST_CASE("-inf in place of every number, True in place of every False") {
    for_each_cell([](const Golden& page, std::size_t tensor, std::size_t i) {
      const Cell& one = page.printed(tensor).cells[i];
      std::string_view by = one.text == "False" ? "True" : "False";
      if (!page.printed(tensor).is_bool) {
        by = has_digits(one) ? "-inf" : "0.0000";
      }
      const Verified damaged(page.replaced(page.offset_of(one), one.text.size(), by));
      CAPTURE(one.text);
      CHECK(is_only_difference(page, damaged, tensor, i, Verdict::differs));
    });
  }

  TEST_CASE("every row swapped with the next different one") {
    const Golden& page = causal_golden();
    for (std::size_t tensor = 0; tensor < page.tensors(); ++tensor) {
      const Printed& printed = page.printed(tensor);
      if (printed.kind != Printed::Kind::tensor) {
        continue;
      }
      const std::vector<Row> rows = rows_of(page, printed);
      const auto text_of = [&](const Row& row) { return page.text.substr(row.offset, row.length); };
      for (std::size_t a = 0; a < rows.size(); ++a) {
        std::size_t b = a + 1;
        while (b < rows.size() && text_of(rows[b]) == text_of(rows[a])) {
          ++b;
        }
        if (b == rows.size()) {
          continue;
        }
        std::string text = page.text;
        text.replace(rows[b].offset, rows[b].length, text_of(rows[a]));
        text.replace(rows[a].offset, rows[a].length, text_of(rows[b]));
        const Verified damaged(text);
        const Finding& finding = damaged.report.findings.at(tensor);
        CAPTURE(tensor);
        CAPTURE(a);
        CAPTURE(finding.relation);
        CHECK(finding.verdict != Verdict::same);
        CHECK((finding.verdict != Verdict::follows || finding.relation.starts_with("nn.Dropout")));
        if (finding.verdict != Verdict::differs) {
          continue;  // too many cells of a thin tensor differ, or they differ in the last digit alone
        }
        CHECK(damaged.failing().size() == 1);
        CHECK(finding.step == page.finding(tensor).step);
        const auto row_count = printed.shape[1];
        const auto row_a = static_cast<std::int64_t>(a);
        const auto row_b = static_cast<std::int64_t>(b);
        for (const Difference& difference : finding.differences) {
          const std::int64_t row = difference.index[0] * row_count + difference.index[1];
          CHECK((row == row_a || row == row_b));
        }
      }
    }
  }

  TEST_CASE("every number of a size") {
    for (const char* file : {"blog/causal.txt", "blog/multihead.txt", "ahead-of-ai/cross.txt"}) {
      const Golden page(file);
      const Verified& whole = page.verified;
      for (std::size_t i = 0; i < whole.printed.size(); ++i) {
        if (whole.printed[i].kind != Printed::Kind::size || whole.printed[i].label.empty()) {
          continue;  // a size is accused by its label alone
        }
        const auto begin = static_cast<std::size_t>(whole.printed[i].text.data() - whole.page.text().data());
        for (std::size_t at = begin; at < begin + whole.printed[i].text.size(); ++at) {
          if (std::isdigit(static_cast<unsigned char>(page.text[at])) == 0) {
            continue;
          }
          for (const char digit : {'1', '2', '3', '6', '9'}) {
            std::string text = page.text;
            text[at] = digit;
            const Verified damaged(text);
            CAPTURE(text.substr(begin, whole.printed[i].text.size()));
            CHECK((damaged.report.findings.at(i).verdict == Verdict::same) == (digit == page.text[at]));
          }
        }
      }
    }
  }
}

TEST_SUITE("match: rows, columns, shapes") {
  TEST_CASE("a tensor printed with ... is compared at the step's edges") {
    std::vector<float> values;
    for (int i = 0; i < 100; ++i) {
      values.push_back(static_cast<float>(i) + 0.5F);
    }
    const std::vector<Explanation> made{made_of({step_of("a", {10, 10}, values)})};
    const std::string page =
        "tensor([[ 0.5,  1.5, ...,  9.5],\n [10.5, 11.5, ..., 19.5],\n ...,\n [90.5, 91.5, ..., 99.5]])\n";
    CHECK(Verified(page, made).failing().empty());
    std::string damaged = page;
    damaged.replace(damaged.find("91.5"), 4, "98.5");
    const Verified verified(damaged, made);
    REQUIRE(verified.failing().size() == 1);
    CHECK(verified.failing()[0]->differences.at(0).expected == "91.5");
    CHECK(verified.failing()[0]->differences.at(0).index == Shape{2, 1});
  }

  TEST_CASE("an altered cell is not explained by another tensor with many wrong last digits") {
    const std::vector<Explanation> made{
        made_of({step_of("right", {6}, {0.1111F, 0.2222F, 0.3333F, 0.4444F, 0.5555F, 0.6666F}),
                 step_of("near", {6}, {0.1112F, 0.2222F, 0.3334F, 0.4445F, 0.5556F, 0.9666F}),
                 step_of("nearer", {6}, {0.1112F, 0.2222F, 0.3334F, 0.4445F, 0.5555F, 0.6966F})})};
    const Verified verified("tensor([0.1111, 0.2222, 0.3333, 0.4444, 0.5555, 0.9666])\n", made);
    CHECK(verified.report.findings.at(0).verdict == Verdict::differs);
    CHECK(verified.report.findings.at(0).step->name == "right");
  }

  TEST_CASE("steps with equal numbers are distinguished by order, then label") {
    const std::vector<float> zeros(3, 0.0F);
    const std::vector<float> others{0.25F, 0.5F, 0.875F};
    const std::vector<Explanation> made{made_of(
        {step_of("a", {3}, zeros), step_of("b", {3}, others), step_of("c", {3}, zeros), step_of("d", {3}, zeros)})};
    const Verified order("tensor([0.0000, 0.0000, 0.0000])\ntensor([0.2500, 0.5000, 0.8750])\ntensor([0., 0., 0.])\n",
                         made);
    CHECK(order.report.findings.at(0).step->name == "a");
    CHECK(order.report.findings.at(0).verdict == Verdict::same_numbers);
    CHECK(order.report.findings.at(2).step->name == "c");
    CHECK(order.report.findings.at(2).verdict == Verdict::same);
    const Verified label("b\ntensor([0.2500, 0.5000, 0.8750])\nd\ntensor([0., 0., 0.])\n", made);
    CHECK(label.report.findings.at(1).step->name == "d");
  }
}

namespace {

/// A page of a program and what it prints, and the verdict on each tensor, with what it is checked by.
struct ProgramRow {
  std::string program;
  std::string output;
  std::string verdicts;  ///< of each: "follows", "differs", "last digit", "unknown", "mistake"
};

std::string verdicts_on(const std::string& program, const std::string& output) {
  const Page page = parse_page("page.md", "```python\n" + program + "```\n\n```\n" + output + "```\n");
  const std::vector<Printed> printed = find_printed(page);
  const PageProgram runs(page, printed, kernels_to_try({}, {}, {}));
  std::string verdicts;
  for (const Finding& finding : match(printed, {}, runs).findings) {
    CHECK((finding.by == By::program) ==
          (finding.verdict == Verdict::follows || finding.verdict == Verdict::last_digit));
    verdicts += verdicts.empty() ? "" : ", ";
    verdicts += finding.verdict == Verdict::follows      ? "follows"
                : finding.verdict == Verdict::differs    ? "differs"
                : finding.verdict == Verdict::last_digit ? "last digit"
                : finding.verdict == Verdict::mistake    ? "mistake"
                                                         : "unknown";
  }
  return verdicts;
}

}  // namespace

TEST_SUITE("match: what the page's program computes") {
  // The numbers are PyTorch 1.13's.
  const std::string seeded = "import torch\ntorch.manual_seed(123)\nW = torch.rand(3, 2)\nprint(W)\nprint(W @ W.T)\n";
  const std::string draw = "tensor([[0.2961, 0.5166],\n        [0.2517, 0.6886],\n        [0.0740, 0.8665]])\n";
  const std::string product =
      "tensor([[0.3545, 0.4302, 0.4695],\n        [0.4302, 0.5374, 0.6153],\n        [0.4695, 0.6153, 0.7563]])\n";
  const std::string unseeded = "import torch\nW = torch.rand(3, 2)\nprint(W[0])\nprint(W)\nprint(W @ W.T)\n";

  TEST_CASE("draws, what is computed from them, and what the page prints without a seed") {
    const auto with = [](std::string text, const std::string& what, const std::string& by) {
      return text.replace(text.find(what), what.size(), by);
    };
    const std::vector<ProgramRow> rows = {
        {seeded, draw + product, "follows, follows"},
        {seeded, with(draw, "0.6886", "0.6887") + product, "last digit, follows"},
        {seeded, with(draw, "0.6886", "0.6986") + product, "differs, follows"},
        {seeded, draw + with(product, "0.5374", "0.5574"), "follows, differs"},
        {unseeded, "tensor([0.2961, 0.5166])\n" + draw + product, "follows, unknown, follows"},
        {unseeded, "tensor([0.2961, 0.5166])\n" + draw + with(product, "0.5374", "0.5574"),
         "follows, unknown, differs"},
        {"import torch\nprint(torch.empty(2, 2))\n", "tensor([[0.1000, 0.2000],\n        [0.3000, 0.4000]])\n",
         "unknown"},
    };
    for (const ProgramRow& row : rows) {
      CAPTURE(row.program);
      CAPTURE(row.output);
      CHECK(verdicts_on(row.program, row.output) == row.verdicts);
    }
  }

  TEST_CASE("an output that its program, right so far, does not print is told") {
    const Page page = parse_page("page.md", "```python\n" + seeded + "```\n\n```\n" + draw +
                                                "tensor([[1.5000, 2.2500, 0.1250],\n        [0.7500, 3.0000, 0.5000],\n"
                                                "        [9.0000, 8.0000, 7.5000]])\n```\n");
    const std::vector<Printed> printed = find_printed(page);
    const Report report = match(printed, {}, PageProgram(page, printed, kernels_to_try({}, {}, {})));
    REQUIRE(report.findings.size() == 2);
    CHECK(report.findings[1].verdict == Verdict::unknown);
    CHECK(report.findings[1].notes ==
          std::vector<std::string>{"this output shows other numbers than its program: run it again?"});
  }
}

TEST_SUITE("match: explanations") {
  TEST_CASE("a page made with the other dropout kernel is recognised") {
    const std::vector<Explanation> mkl = explanations_of("blog", DropoutKernel::mkl, {"causal"});
    std::string page = causal_golden().text.substr(0, causal_golden().text.find("dropout attention weights"));
    for (const Step& step : mkl[0].steps) {
      if (step.in_article && (step.name == "dropout_attn_weights" || step.name == "context_vecs")) {
        std::ostringstream out;
        render::write_text(out, {&step, 1}, {});
        page += out.str();
      }
    }
    const Verified verified(page);
    CHECK(verified.failing().empty());
    REQUIRE(verified.report.lessons.size() == 1);
    CHECK(verified.report.lessons[0]->dropout_kernel == "mkl");
    CHECK(verified.report.notes == std::vector<std::string>{"these are the numbers of PyTorch's MKL dropout kernel"});
  }

  TEST_CASE("an article's own kernels win if both sets give the page's digits") {
    CHECK(Verified(golden("blog/simplified.txt")).report.lessons.at(0)->cpu == "avx2");
    CHECK(Verified(golden("ahead-of-ai/cross.txt")).report.lessons.at(0)->cpu == "default");
  }
}

TEST_CASE("match: many tensors" * doctest::skip(ATTN_EMULATED)) {
  const Verified once(causal_golden().text);
  std::vector<Printed> many;
  while (many.size() < 20'000) {
    many.insert(many.end(), once.printed.begin(), once.printed.end());
  }
  const Report report = match(many, all_explanations());
  CHECK(std::ranges::all_of(report.findings, [](const Finding& one) { return holds(one.verdict); }));
}
