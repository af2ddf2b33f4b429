// What `verify` tells of a page: the words, the JSON and the exit code.

#include "verify/report/report.hpp"

#include "torch/torch.hpp"
#include "unit.hpp"
#include "verify/explain/finding.hpp"
#include "verify/page/page.hpp"

namespace {

using namespace attn;
using namespace attn::verify;
using test::has;

/// A lesson of three tokens with one tensor: 0.26264992 stands just below a tie.
Explanation small_explanation() {
  const std::vector<std::vector<float>> rows{{0.5F, -0.26264992F}, {1.25F, 2.0F}, {-0.75F, 0.125F}};
  Walkthrough walk;
  walk.section("part");
  const Tensor keys = torch::tensor(rows);
  walk.show("keys", "keys\n", keys);
  walk.size("keys", "keys.shape:", keys);
  Explanation explanation;
  explanation.article = "small";
  explanation.chapter = "chapter";
  explanation.cpu = "avx2";
  explanation.dropout_kernel = "default";
  explanation.preferred = true;
  explanation.steps = walk.steps();
  explanation.tokens = {"one", "two", "three"};
  explanation.slips.push_back({"chapter", "keys", "", chapters::Slip::Where::other_shape, "The page lost a row."});
  return explanation;
}

/// A page and the report on it, which a test may change.
struct Told {
  explicit Told(const std::string& body)
      : page(parse_page("page.txt", body)), printed(find_printed(page)), report(match(printed, explanations)) {}
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

  std::string text() const {
    std::ostringstream out;
    write_text(out, {page, report});
    return out.str();
  }
  nlohmann::ordered_json json() const {
    std::ostringstream out;
    render::JsonWriter writer(out);
    write_json(writer, {page, report});
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(out.str());
    CHECK(json.dump(2) == out.str());
    return json;
  }
  bool fails(const Demands& demands = {}) const { return sheet_of({page, report}, demands).failures() > 0; }
  Row row(const Demands& demands = {}) const { return sheet_of({page, report}, demands).rows.at(0); }

  std::vector<Explanation> explanations{small_explanation()};
  Page page;
  std::vector<Printed> printed;
  Report report;
};

const std::string good =
    "keys\n tensor([[ 0.5000, -0.2626],\n        [ 1.2500,  2.0000],\n        [-0.7500,  0.1250]])\n"
    "keys.shape: torch.Size([3, 2])\n";

std::string with(const std::string& old_words, const std::string& new_words) {
  std::string text = good;
  return text.replace(text.find(old_words), old_words.size(), new_words);
}

const std::string lessons = "\nlessons: small, seed 123, avx2 kernels, default dropout kernel\n";
const std::string size_line = "line 5  size [3, 2]  chapter/part keys  same\n";
const std::string all_right = "Right: 1 of 1 (1 as the lesson) and 1 of 1 size. Wrong: none.\n\n";

/// A fault of the statement in line 14.
Fault fault(const std::string& name, const std::string& sentence, const std::string& instead) {
  Fault fault;
  fault.name = name;
  fault.sentence = sentence;
  fault.instead = instead;
  fault.place.line = 14;
  fault.words = "s.masked_fill(m, -inf)";
  return fault;
}

}  // namespace

TEST_SUITE("report") {
  TEST_CASE("a last digit shows all digits") {
    const Told told(with("-0.2626", "-0.2627"));
    CHECK_FALSE(told.fails());
    CHECK(told.text() == all_right +
                             "line 2  [3, 2]       chapter/part keys  last digit (1 of 6 cells)\n"
                             "    [0 (one), 1]: page -0.2627, step -0.2626; exactly -0.26264992356300354\n" +
                             size_line + lessons);
    const auto difference = told.json()["findings"][0]["differences"][0];
    CHECK(difference["index"] == std::vector<int>{0, 1});
    CHECK(difference["tokens"] == nlohmann::ordered_json::array({"one", nullptr}));
    CHECK(difference["printed"] == "-0.2627");
    CHECK(difference["expected"] == "-0.2626");
    CHECK(difference["exact"] == static_cast<double>(-0.26264992F));
  }

  TEST_CASE("an unknown tensor names the step of its label, and fails only with --strict") {
    const Told told("keys\n tensor([[7.5000, 8.5000], [9.5000, 6.5000], [5.5000, 4.5000]])\n");
    CHECK_FALSE(told.fails());
    CHECK(told.fails({.strict = true}));
    CHECK(has(told.text(),
              "line 2  [3, 2]  -  unknown\n"
              "    nearest: chapter/part keys [3, 2]\n"));
    CHECK(told.text().starts_with("Right: 0 of 1. Wrong: none. Not known: 1.\n"));
    CHECK(told.json()["findings"][0]["step"].is_null());
    CHECK(told.json()["findings"][0]["nearest"]["name"] == "keys");
  }

  TEST_CASE("a tensor that follows from others names them") {
    const Told told(good + "tensor([[ 0.5000,  1.2500, -0.7500],\n        [-0.2626,  2.0000,  0.1250]])\n");
    CHECK_FALSE(told.fails());
    CHECK(has(told.text(), "line 6  [2, 3]       line 2.T           follows (rooted)\n"));
    CHECK(told.text().starts_with("Right: 2 of 2 (1 as the lesson, 1 follows) and 1 of 1 size. Wrong: none.\n"));
    CHECK(told.json()["findings"][2]["by"] == "relation");
    CHECK(told.json()["findings"][2]["relation"] == "line 2.T");
    CHECK(told.json()["findings"][2]["sources"] == std::vector<int>{0});
    CHECK(told.json()["findings"][2]["rooted"] == true);
  }

  TEST_CASE("what the program computes is told apart from lessons and relations") {
    Told told(good);
    told.report.findings[0].by = By::program;
    told.report.findings[0].verdict = Verdict::follows;
    CHECK(
        told.text().starts_with("Right: 1 of 1 (1 as its program) and 1 of 1 size. Wrong: none.\n\n"
                                "line 2  [3, 2]       chapter/part keys  as its program\n"));
    CHECK(told.json()["findings"][0]["by"] == "program");
    CHECK(told.row().tint.style == "program");
  }

  TEST_CASE("faults of the program come first; a note does not fail") {
    Told told(good);
    told.report.faults = {fault("mask-discarded", "nothing is masked", "s = s.masked_fill(m, -inf)")};
    CHECK(told.text().starts_with(
        "Right: 1 of 1 (1 as the lesson) and 1 of 1 size. Mistake: mask-discarded (line 14).\n\n"
        "line 14  program      s.masked_fill(m, -inf)  mistake (mask-discarded)\n"
        "    nothing is masked\n"
        "    write: s = s.masked_fill(m, -inf)\n"
        "line 2   [3, 2] "));
    CHECK(told.fails());
    CHECK_FALSE(told.fails({.allows_mistakes = true}));
    CHECK(told.row().outcome == Outcome::wrong);
    const auto json = told.json();
    CHECK(json["holds"] == false);
    CHECK(json["faults"][0]["line"] == 14);
    CHECK(json["faults"][0]["instead"] == "s = s.masked_fill(m, -inf)");
    told.report.faults[0].is_note = true;
    CHECK(has(told.text(), "Wrong: none. Note: mask-discarded (line 14).\n"));
    CHECK_FALSE(told.fails({.strict = true}));
    CHECK(told.row().outcome == Outcome::allowed);
  }

  TEST_CASE("a mistake that a fault tells is not told again") {
    Told told(good);
    told.report.findings[0].verdict = Verdict::mistake;
    told.report.findings[0].by = By::none;
    told.report.findings[0].mistaken = Cause{"no-mask", "nothing is masked", "mask it"};
    const std::string alone = told.text();
    CHECK(alone.starts_with("Right: 0 of 1 and 1 of 1 size. Mistake: no-mask (line 2).\n"));
    CHECK(has(alone, "    nothing is masked\n    write: mask it\n"));
    for (const char* const name : {"no-mask", "discarded"}) {
      told.report.faults = {fault(name, "nothing is masked", "mask it")};
      const std::string both = told.text();
      CHECK(both.starts_with("Right: 0 of 1 and 1 of 1 size. Mistake: " + std::string(name) + " (line 14).\n"));
      CHECK(both.find("mask it") == both.rfind("mask it"));
      CHECK(has(both, "mistake (no-mask)\nline 5 "));
    }
    told.report.faults = {fault("softmax-axis", "over the queries", "dim=-1")};
    CHECK(has(told.text(), "softmax-axis (line 14); no-mask (line 2)"));
  }

  TEST_CASE("a note on the program is a mistake where a lesson's step has it") {
    Told told(good);
    told.report.faults = {fault("no-scaling", "not scaled", "divide")};
    told.report.faults[0].is_note = true;
    CHECK_FALSE(told.fails());
    told.report.findings[0].verdict = Verdict::mistake;
    told.report.findings[0].mistaken = Cause{"no-scaling", "not scaled", "divide"};
    CHECK(has(told.text(), "Mistake: no-scaling (line 14).\n"));
    CHECK(told.row().verdict == "mistake (no-scaling)");
    CHECK(told.json()["faults"][0]["is_note"] == false);
  }

  TEST_CASE("a size that the program prints otherwise needs no step") {
    Told told(good);
    Finding& size = told.report.findings[1];
    size.verdict = Verdict::differs;
    size.step = nullptr;
    size.explanation = nullptr;
    size.relation = "keys.shape";
    size.differences = {{{1}, "2", "4", 4}};
    size.differing_cells = 1;
    CHECK(has(told.text(), "differs\n    [1]: page 2, expected 4\n"));
  }

  TEST_CASE("GitHub's commands are one line each, with line breaks encoded") {
    const auto written = [](const Sheet& sheet) {
      std::ostringstream out;
      write_github(out, {&sheet, 1});
      return out.str();
    };
    const auto row = [](Outcome outcome, const std::string& file, std::int64_t line, const std::string& title,
                        const std::string& verdict, const std::vector<std::string>& details = {}) {
      return Row{
          .outcome = outcome, .file = file, .line = line, .verdict = verdict, .title = title, .details = details};
    };
    const Sheet hostile = {
        "a, b: 100%.md",
        {row(Outcome::right, "x", 1, "n", "same"),
         row(Outcome::wrong, "a, b: 100%.md", 7, "line 7: k [2, 2]", "differs", {"  100%\r", "::x::"}),
         row(Outcome::inherited, "", 0, "k\x1b", "inherited"), row(Outcome::skipped, "f", 2, "n", "unknown"),
         row(Outcome::allowed, "f", 3, "n", "mistake")},
        0,
        "one\ntwo\n"};
    CHECK(written(hostile) ==
          "::error file=a%2C b%3A 100%25.md,line=7,title=line 7%3A k [2%2C 2]::differs%0A  100%25\\x0d%0A::x::\n"
          "::warning title=k\\x1b::inherited\n"
          "::warning file=f,line=2,title=n::unknown\n"
          "::notice file=f,line=3,title=n::mistake\n"
          "::notice file=a%2C b%3A 100%25.md,title=attn-walkthrough::one%0Atwo\n");
    CHECK(written({"f", {}, 0, "no printed tensor\n"}) ==
          "::notice file=f,title=attn-walkthrough::no printed tensor\n");
    CHECK(hostile.failures() == 2);
  }

  TEST_CASE("failures follow from the demands") {
    const Told unknown("tensor([0.1234, 9.8765, 4.3210, 7.7777])\n");
    CHECK(unknown.row({}).outcome == Outcome::skipped);
    CHECK(unknown.row({.strict = true}).outcome == Outcome::wrong);
    CHECK(unknown.row({}).title == "line 1: [4]");
    const Told differs(with("2.0000", "2.5000"));
    CHECK(differs.row({.allows_mistakes = true}).outcome == Outcome::wrong);
    CHECK(differs.row({}).title == "line 2: chapter/part keys [3, 2]");
    CHECK(differs.row({}).line == 2);
    CHECK(differs.row({}).file == "page.txt");
    CHECK(Told(good).row({}).outcome == Outcome::right);
  }

  TEST_CASE("JUnit's XML contains only valid XML characters") {
    const Row row = {.outcome = Outcome::wrong, .verdict = "v\xff", .title = "n\x01", .details = {"\xef\xbf\xbf<"}};
    const Sheet sheet = {"a<b>&\"'", {row}, 0, ""};
    std::ostringstream out;
    write_junit(out, {&sheet, 1});
    CHECK(has(out.str(), "classname=\"a&lt;b&gt;&amp;&quot;&#39;\" name=\"n\\x01\""));
    CHECK(has(out.str(), "<failure message=\"v\\xff\">\\xef\\xbf\\xbf&lt;\n</failure>"));
  }
}
