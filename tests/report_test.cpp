// What `verify` tells of a page: the words, the JSON and the exit code.

#include "verify/report/report.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "torch/torch.hpp"
#include "verify/explain/match.hpp"
#include "verify/read/find_printed.hpp"
#include "verify/read/read_page.hpp"
#include "verify/report/checks.hpp"

namespace {

using namespace attn;
using namespace attn::verify;

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
  explanation.steps = LazySteps(walk.steps());
  explanation.tokens = {"one", "two", "three"};
  explanation.slips.push_back({"chapter", "keys", "", Slip::Where::other_shape, "The page lost a row."});
  return explanation;
}

nlohmann::ordered_json json_of(const ReportedPage& reported) {
  std::ostringstream out;
  render::JsonWriter writer(out);
  write_json(writer, reported);
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(out.str());
  CHECK(json.dump(2) == out.str());
  return json;
}

std::string text_of(const ReportedPage& reported) {
  std::ostringstream out;
  write_text(out, reported);
  return out.str();
}

struct Told {
  explicit Told(const std::string& body)
      : explanations{small_explanation()},
        page(parse_page("page.txt", body)),
        printed(find_printed(page)),
        report(match(printed, explanations)),
        text(text_of({page, report})),
        json(json_of({page, report})),
        code(exit_code(report)) {}
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

  std::vector<Explanation> explanations;
  Page page;
  std::vector<Printed> printed;
  Report report;
  std::string text;
  nlohmann::ordered_json json;
  int code;
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

}  // namespace

TEST_SUITE("report") {
  TEST_CASE("a correct page") {
    const Told told(good);
    CHECK(told.code == 0);
    CHECK(told.text == "line 2  [3, 2]       chapter/part keys  same\n" + size_line + lessons +
                           "tensors: 1 same\n1 of 1 tensors and 1 of 1 sizes checked and right\n");
    CHECK(told.json["holds"] == true);
    CHECK(told.json["tensors"]["same"] == 1);
    CHECK(told.json["findings"][0]["line"] == 2);
    CHECK(told.json["findings"][0]["verdict"] == "same");
    CHECK(told.json["findings"][0]["step"]["name"] == "keys");
    CHECK(told.json["findings"][0]["cell"].is_null());
    CHECK(told.json["findings"][1]["kind"] == "size");
  }

  TEST_CASE("another layout") {
    const Told told(with("        [ 1.2500", "       [ 1.2500"));
    CHECK(told.code == 0);
    CHECK(told.text.find("same numbers (spacing)") != std::string::npos);
    CHECK(told.json["findings"][0]["layout"] == "spacing");
  }

  TEST_CASE("a layout is reported in one clean line") {
    const Told tab(with("0.1250]])", "0.1250]], grad_fn=<Mul\tBackward0>)"));
    CHECK(tab.text.find("same numbers (grad_fn=<Mul\\x09Backward0> is added)\n") != std::string::npos);
    CHECK(tab.json["findings"][0]["layout"] == "grad_fn=<Mul\\x09Backward0> is added");
    const Told lines(with("0.1250]])", "0.1250]], grad_fn=<Mul,\n dtype=torch.float32)"));
    CHECK(lines.text.find("same numbers (grad_fn=<Mul,\\x0a dtype=torch.float32) is added)\n") != std::string::npos);
  }

  TEST_CASE("a last digit shows the tie") {
    const Told told(with("-0.2626", "-0.2627"));
    CHECK(told.code == 0);
    CHECK(told.text ==
          "line 2  [3, 2]       chapter/part keys  last digit (1 of 6 cells)\n"
          "    [0 (one), 1]: page -0.2627, step -0.2626; exactly -0.26264992356300354, the tie is at -0.26265\n" +
              size_line + lessons + "tensors: 1 last digit\n1 cell off by one in the last digit: line 2\n" +
              "1 of 1 tensors and 1 of 1 sizes checked and right\n");
    const auto& difference = told.json["findings"][0]["differences"][0];
    CHECK(difference["index"] == std::vector<int>{0, 1});
    CHECK(difference["tokens"] == nlohmann::ordered_json::array({"one", nullptr}));
    CHECK(difference["printed"] == "-0.2627");
    CHECK(difference["expected"] == "-0.2626");
    CHECK(difference["exact"] == static_cast<double>(-0.26264992F));
    CHECK(told.json["tensors"]["last digit"] == 1);
  }

  TEST_CASE("a differing cell is marked among its neighbours") {
    const Told told(with(" 2.0000", "-2.0000"));
    CHECK(told.code == 1);
    CHECK(told.text ==
          "line 2  [3, 2]       chapter/part keys  differs (1 of 6 cells)\n"
          "    [1 (two), 1]: page -2.0000, step 2.0000\n"
          "      [0 (one)]     0.5000   -0.2626\n"
          "      [1 (two)]     1.2500  [-2.0000]\n"
          "      [2 (three)]  -0.7500    0.1250\n" +
              size_line + lessons +
              "tensors: 1 differs\n0 of 1 tensors and 1 of 1 sizes checked and right; 1 differs: line 2\n");
    CHECK(told.json["holds"] == false);
    CHECK(told.json["findings"][0]["differing_cells"] == 1);
  }

  TEST_CASE("a lost row, and the page's known slip") {
    const Told told(with("        [ 1.2500,  2.0000],\n", ""));
    CHECK(told.code == 1);
    CHECK(told.text.find("    row [1 (two)] is lost; the step is [3, 2]\n"
                         "    the step has there: 1.2500 2.0000\n"
                         "    note: The page lost a row.\n") != std::string::npos);
    const auto& change = told.json["findings"][0]["change"];
    CHECK(change["kind"] == "lost");
    CHECK(change["at"] == std::vector<int>{1});
    CHECK(told.json["findings"][0]["differences"][0]["printed"].is_null());
  }

  TEST_CASE("a size") {
    const Told told(with("Size([3, 2])", "Size([3, 4])"));
    CHECK(told.code == 1);
    CHECK(told.text.find("size [3, 4]  chapter/part keys  differs\n    the step's size is [3, 2]\n") !=
          std::string::npos);
    CHECK(told.json["findings"][1]["differences"][0]["expected"] == "2");
  }

  TEST_CASE("an unknown tensor names the step of its label, and fails only with --strict") {
    const Told told("keys\n tensor([[7.5000, 8.5000], [9.5000, 6.5000], [5.5000, 4.5000]])\n");
    CHECK(told.code == 0);
    CHECK(exit_code(told.report, {.strict = true}) == 1);
    CHECK(told.text.find("line 2  [3, 2]  -  unknown\n"
                         "    nearest: chapter/part keys [3, 2]; 6 of 6 cells differ\n") != std::string::npos);
    CHECK(told.text.find("tensors: 1 unknown\n0 of 1 tensors checked and right; 1 unknown: line 2\n") !=
          std::string::npos);
    CHECK(told.json["findings"][0]["step"].is_null());
    CHECK(told.json["findings"][0]["nearest"]["name"] == "keys");
  }

  TEST_CASE("a tensor that follows from others names them") {
    const Told told(good + "tensor([[ 0.5000,  1.2500, -0.7500],\n        [-0.2626,  2.0000,  0.1250]])\n");
    CHECK(told.code == 0);
    CHECK(told.text.find("line 6  [2, 3]       line 2.T           follows (rooted)\n") != std::string::npos);
    CHECK(told.text.find("tensors: 1 same, 1 follows\n") != std::string::npos);
    CHECK(told.json["findings"][2]["verdict"] == "follows");
    CHECK(told.json["findings"][2]["relation"] == "line 2.T");
    CHECK(told.json["findings"][2]["sources"] == std::vector<int>{0});
    CHECK(told.json["findings"][2]["rooted"] == true);
    CHECK(told.json["findings"][2]["step"].is_null());
  }

  TEST_CASE("a tensor of which only a property holds is checked in part, and fails with --strict") {
    const Told told(  // PyTorch's softmax of random numbers
        "tensor([[0.5927, 0.0064, 0.3035, 0.0135, 0.0838],\n        [0.3061, 0.1851, 0.0306, 0.0034, 0.4748],\n"
        "        [0.0785, 0.2247, 0.1942, 0.4915, 0.0111],\n        [0.4457, 0.1032, 0.2146, 0.1685, 0.0680]])\n");
    CHECK(told.code == 0);
    CHECK(exit_code(told.report, {.strict = true}) == 1);
    CHECK(checked({told.page, told.report}, {.strict = true}).checks.at(0).outcome == Outcome::wrong);
    CHECK(told.text ==
          "line 1  [4, 5]  every row sums to 1  follows (in part)\n\ntensors: 1 follows\n"
          "1 of 1 tensors checked and right, 1 of them in part: line 1\n");
    CHECK(told.json["findings"][0]["in_part"] == true);
  }

  TEST_CASE("GitHub's commands are one line each, with line breaks encoded") {
    const auto written = [](const CheckedFile& file) {
      std::ostringstream out;
      write_github(out, {&file, 1});
      return out.str();
    };
    const CheckedFile hostile = {
        "a, b: 100%.md",
        {{Outcome::right, "x", 1, "n", "same", ""},
         {Outcome::wrong, "a, b: 100%.md", 7, "line 7: k [2, 2]", "differs", "  100%\r\n::x::\n"},
         {Outcome::inherited, "", 0, "k\x1b", "inherited", ""},
         {Outcome::skipped, "f", 2, "n", "unknown", ""},
         {Outcome::allowed, "f", 3, "n", "mistake", ""}},
        "one\ntwo\n"};
    CHECK(written(hostile) ==
          "::error file=a%2C b%3A 100%25.md,line=7,title=line 7%3A k [2%2C 2]::differs%0A  100%25\\x0d%0A::x::\n"
          "::warning title=k\\x1b::inherited\n"
          "::warning file=f,line=2,title=n::unknown\n"
          "::notice file=f,line=3,title=n::mistake\n"
          "::notice file=a%2C b%3A 100%25.md,title=attn-walkthrough::one%0Atwo\n");
    CHECK(written({"f", {}, "no printed tensor\n"}) == "::warning file=f,title=attn-walkthrough::no printed tensor\n");
    CHECK(hostile.failures() == 2);
  }

  TEST_CASE("failures follow from the demands") {
    const Told unknown("tensor([0.1234, 9.8765, 4.3210, 7.7777])\n");
    const auto outcome = [](const Told& told, const Demands& demands) {
      return checked({told.page, told.report}, demands).checks.at(0);
    };
    CHECK(outcome(unknown, {}).outcome == Outcome::skipped);
    CHECK(outcome(unknown, {.strict = true}).outcome == Outcome::wrong);
    CHECK(outcome(unknown, {}).name == "line 1: [4]");
    const Told differs(with("2.0000", "2.5000"));
    CHECK(outcome(differs, {.allows_mistakes = true}).outcome == Outcome::wrong);
    CHECK(outcome(differs, {}).name == "line 2: chapter/part keys [3, 2]");
    CHECK(outcome(differs, {}).line == 2);
    CHECK(outcome(differs, {}).file == "page.txt");
    CHECK(outcome(Told(good), {}).outcome == Outcome::right);
    const Told nothing("no tensor here");
    CHECK(checked({nothing.page, nothing.report}, {}).checks.empty());
  }

  TEST_CASE("JUnit's XML contains only valid XML characters") {
    const CheckedFile file = {"a<b>&\"'", {{Outcome::wrong, "", 0, "n\x01", "v\xff", "\xef\xbf\xbf<"}}, ""};
    std::ostringstream out;
    write_junit(out, {&file, 1});
    CHECK(out.str().find("classname=\"a&lt;b&gt;&amp;&quot;&#39;\" name=\"n\\x01\"") != std::string::npos);
    CHECK(out.str().find("<failure message=\"v\\xff\">?&lt;</failure>") != std::string::npos);
  }

  TEST_CASE("JSON stays valid for inf and nan") {
    const Told told(with("2.0000", "-inf"));
    const auto parsed = nlohmann::ordered_json::parse(told.json.dump());
    CHECK(parsed["findings"][0]["differences"][0]["printed"] == "-inf");
  }

  TEST_CASE("a page without tensors has nothing to check") {
    const Told told("no numbers here\n");
    CHECK(told.code == 0);
    CHECK(told.text == "no printed tensor\n");
  }
}
