// Which step a printed tensor is, which of its cells do not hold, and which explanation a page has. The pages are
// golden files, which PyTorch made; damaged copies of them must be caught at the right cell.

#include "verify/explain/finding.hpp"

#include "made.hpp"
#include "verify/lessons/lessons.hpp"
#include "verify/page/page.hpp"

namespace {

using namespace attn;
using namespace attn::verify;

std::string golden(const std::string& file) {
  std::ifstream in(ATTN_GOLDEN_DIR "/" + file, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// blog and ahead-of-ai by their own kernels, with both dropout kernels.
const std::vector<Explanation>& all_explanations() {
  static const std::vector<Explanation> all = [] {
    std::vector<Explanation> made;
    for (const std::reference_wrapper<const chapters::Article> article : chapters::all_articles()) {
      if (article.get().name == "blog" || article.get().name == "ahead-of-ai") {
        Narrowing known;
        known.cpu = article.get().cpu;
        known.blas = Blas::haswell;
        std::ranges::move(Lessons(known, {&article, 1}).plain(), std::back_inserter(made));
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
  return {Step::Kind::tensor, "", name, name + "\n", true, test::floats(shape, values), ""};
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

/// A golden file and what is found on it.
struct Golden : Verified {
  explicit Golden(const std::string& file) : Verified(golden(file)), name(file) {}

  std::size_t offset_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - page.text().data());
  }
  std::string replaced(std::size_t offset, std::size_t length, std::string_view by) const {
    return std::string(page.text()).replace(offset, length, by);
  }

  std::string name;
};

bool is_only_difference(const Golden& page, const Verified& damaged, std::size_t tensor, std::size_t i,
                        Verdict verdict) {
  const Finding& finding = damaged.report.findings.at(tensor);
  return std::ranges::all_of(
             damaged.report.findings,
             [&](const Finding& other) { return &other == &finding || other.verdict == Verdict::same; }) &&
         finding.verdict == verdict && finding.step == page.report.findings.at(tensor).step &&
         finding.differences.size() == 1 &&
         finding.differences.front().index == index_at(static_cast<std::int64_t>(i), finding.printed->shape) &&
         finding.differences.front().expected == page.printed[tensor].cells[i].text;
}

bool has_digits(const Cell& one) {
  return std::isfinite(one.value) && one.text.find_first_of("0123456789") != std::string_view::npos;
}

std::string other_digit(char digit) { return std::string(1, digit == '9' ? '8' : static_cast<char>(digit + 1)); }

/// The page with a cell's first digits, its sign or all of it changed.
std::vector<std::string> with_other(const Golden& page, const Printed& printed, const Cell& one) {
  const std::size_t offset = page.offset_of(one.text);
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
      pages.push_back(page.replaced(digit, 1, other_digit(page.page.text()[digit])));
    }
  }
  if (one.value != 0) {
    pages.push_back(is_negative ? page.replaced(offset, 1, " ") : page.replaced(offset, 0, "-"));
  }
  return pages;
}

}  // namespace

TEST_CASE("the step's number is written in the cell's style") {
  CHECK(in_format_of(cell("0.4519", 0.4519, 1e-4), -0.25) == "-0.2500");
  CHECK(in_format_of(cell("2.", 2, 0), 3) == "3.");
  CHECK(in_format_of(cell("7", 7, 0), 8) == "8");
  CHECK(in_format_of(cell("2.50e-01", 0.25, 1e-3), 0.125) == "1.25e-01");
  CHECK(in_format_of(cell("True", 1, 0), 0) == "False");
  CHECK(in_format_of(cell("1.0", 1, 0.1), -std::numeric_limits<double>::infinity()) == "-inf");
}
TEST_CASE("a damaged page is caught at the right cell") {
  std::size_t row = 0;
  for (const char* file : {"blog/simplified.txt", "blog/trainable.txt", "blog/causal.txt", "blog/multihead.txt",
                           "ahead-of-ai/cross.txt"}) {
    const Golden page(file);
    for (std::size_t tensor = 0; tensor < page.printed.size(); ++tensor) {
      const Printed& printed = page.printed[tensor];
      CAPTURE(page.name);
      CAPTURE(tensor);
      if (printed.kind == Printed::Kind::size) {
        const std::size_t begin = page.offset_of(printed.text);
        for (std::size_t at = begin; at < begin + printed.text.size(); ++at) {
          const char digit = page.page.text()[at];
          if (std::isdigit(static_cast<unsigned char>(digit)) != 0 && !printed.label.empty()) {  // which alone accuses
            CHECK(Verified(page.replaced(at, 1, other_digit(digit))).report.findings.at(tensor).verdict !=
                  Verdict::same);
          }
        }
        continue;
      }
      for (std::size_t i = 0; i < printed.cells.size(); ++i) {
        if (!test::is_in_sample(row++)) {
          continue;
        }
        const Cell& one = printed.cells[i];
        CAPTURE(one.text);
        for (const std::string& text : with_other(page, printed, one)) {
          CHECK(is_only_difference(page, Verified(text), tensor, i, Verdict::differs));
        }
        if (has_digits(one)) {
          const std::size_t last = page.offset_of(one.text) + one.text.find_last_of("0123456789");
          const Verified damaged(page.replaced(last, 1, other_digit(page.page.text()[last])));
          // What follows from others follows up to their last digits as well.
          const bool follows = one.unit > 0 && damaged.report.findings.at(tensor).verdict == Verdict::follows;
          CHECK((follows ||
                 is_only_difference(page, damaged, tensor, i, one.unit > 0 ? Verdict::last_digit : Verdict::differs)));
        }
      }
    }
  }
}

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
