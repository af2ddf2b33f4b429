// Which step a printed tensor is, which of its cells do not hold, and which explanation a page has. The pages are
// golden files, which PyTorch made; damaged copies of them must be caught at the right cell.

#include "verify/explain/match.hpp"
#include "chapters/chapter.hpp"
#include "chapters/inputs.hpp"
#include "unit.hpp"
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

const chapters::Article& article_named(const std::string& name) {
  return *std::find_if(chapters::all_articles().begin(), chapters::all_articles().end(),
                       [&](const chapters::Article& one) { return one.name == name; });
}

Explanation chapter_of(const chapters::Chapter& entry, DropoutKernel dropout) {
  const chapters::Article& article = *entry.article;
  Explanation explanation;
  explanation.article = article.name;
  explanation.chapter = entry.name;
  explanation.chapter_order = static_cast<std::size_t>(&entry - article.chapters.data());
  explanation.cpu = article.cpu == Cpu::avx2 ? "avx2" : "default";
  explanation.dropout_kernel = dropout == DropoutKernel::mkl ? "mkl" : "default";
  explanation.preferred = dropout == DropoutKernel::standard;
  explanation.slips.assign(article.slips.begin(), article.slips.end());
  const Lesson lesson;
  explanation.tokens = chapters::token_words(article, lesson);
  torch::Torch torch({article.cpu, Blas::haswell}, dropout, torch::Torch::Mode::compute);
  explanation.steps = chapters::walk(entry, lesson, torch).steps();
  return explanation;
}

/// blog and ahead-of-ai with both dropout kernels.
const std::vector<Explanation>& all_explanations() {
  static const std::vector<Explanation> all = [] {
    std::vector<Explanation> made;
    for (const char* article : {"blog", "ahead-of-ai"}) {
      for (const DropoutKernel dropout : {DropoutKernel::standard, DropoutKernel::mkl}) {
        for (const chapters::Chapter& entry : article_named(article).chapters) {
          made.push_back(chapter_of(entry, dropout));
        }
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

/// The page with a cell's first digits, its sign or all of it changed.
std::vector<std::string> with_other(const Golden& page, const Printed& printed, const Cell& one) {
  const std::size_t offset = page.offset_of(one);
  if (printed.is_bool) {
    return {page.replaced(offset, one.text.size(), one.text == "False" ? "True" : "False")};
  }
  if (!has_digits(one)) {
    return {page.replaced(offset, one.text.size(), "0.0000")};
  }
  std::vector<std::string> pages = {page.replaced(offset, one.text.size(), "-inf")};
  const bool is_negative = one.text.front() == '-';
  const std::size_t first = offset + (is_negative ? 1 : 0);
  for (const std::size_t digit : {first, first + 2}) {
    if (digit < offset + one.text.size()) {
      pages.push_back(page.replaced(digit, 1, other_digit(page.text[digit])));
    }
  }
  if (one.value != 0) {
    pages.push_back(is_negative ? page.replaced(offset, 1, " ") : page.replaced(offset, 0, "-"));
  }
  return pages;
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

  TEST_CASE("the first digits, the sign and all of every cell") {
    for_each_cell([](const Golden& page, std::size_t tensor, std::size_t i) {
      for (const std::string& text : with_other(page, page.printed(tensor), page.printed(tensor).cells[i])) {
        CHECK(is_only_difference(page, Verified(text), tensor, i, Verdict::differs));
      }
    });
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
