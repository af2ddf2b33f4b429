// What is said of each step: shapes, what its numbers show, why it is there; as text, JSON and Markdown. And what
// is said to an answer.

#include "lesson/explain.hpp"

#include "chapters/chapter.hpp"
#include "chapters/inputs.hpp"
#include "lesson/frame.hpp"
#include "lesson/numbers.hpp"
#include "made.hpp"
#include "present/presenter.hpp"
#include "render/json.hpp"
#include "render/writers.hpp"
#include "tensor/operations.hpp"
#include "text/lines.hpp"

namespace {

using namespace attn;
using present::Mark;
using Strings = std::vector<std::string>;

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

Tensor rows(const std::vector<std::vector<float>>& values, const std::string& name = "") {
  const Tensor tensor = torch::tensor(values);
  tensor.set_name(name);
  return tensor;
}

Strings notices_of(const Tensor& tensor, const Strings& tokens = {}) {
  return render::notices({Step::Kind::tensor, "", "x", "", true, tensor, "", "\n"}, tokens);
}

Strings tokens_of(const chapters::Chapter& entry) { return chapters::token_words(*entry.article, Lesson{}); }

render::Why why_of(const chapters::Chapter& entry) {
  return [&entry](const Step& step) { return chapters::meaning(entry, step); };
}

std::int64_t sentences(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_end = text[i] == '.' || text[i] == '?' || text[i] == '!';
    count += is_end && (i + 1 == text.size() || text[i + 1] == ' ');
  }
  return count;
}

nlohmann::ordered_json values_of(const Tensor& tensor) {
  std::ostringstream out;
  render::JsonWriter json(out);
  render::write_values(json, tensor);
  CHECK(nlohmann::ordered_json::parse(out.str()).dump(2) == out.str());
  return nlohmann::ordered_json::parse(out.str());
}

render::Document lesson_of(const std::vector<Step>& steps, const std::string& title, const render::Why& why,
                           const Strings& tokens) {
  render::Document document;
  render::ShownChapter& chapter = document.chapters.emplace_back();
  chapter.title = title;
  chapter.steps = steps;
  chapter.tokens = tokens;
  chapter.why = why;
  return document;
}

}  // namespace

TEST_CASE("the shape rail gives the shapes of operands and result") {
  const Tensor inputs = rows({{1, 2, 3}, {4, 5, 6}}, "inputs");
  const Tensor W = rows({{1, 0, 2}, {0, 1, 1}}, "W");
  const Tensor queries = linear(inputs, W, std::nullopt, "W_query");
  queries.set_name("queries");
  const Tensor keys_t = t(queries);
  keys_t.set_name("keys_transposed");
  const Tensor scores = matmul(queries, keys_t);
  const Tensor batch_of_one = stack(inputs, 1);
  batch_of_one.set_name("batch");
  CHECK(render::shape_rail(scores) == "queries [2, 2] @ queries.T [2, 2] -> [2, 2]");
  CHECK(render::shape_rail(softmax(scores)) == "torch.softmax((queries @ keys_transposed) [2, 2], dim=-1) -> [2, 2]");
  scores.set_name("attn_scores");
  const Tensor mask = torch::causal_mask(2);
  mask.set_name("mask");
  CHECK(render::shape_rail(masked_fill(scores, mask, minus_infinity)) ==
        "attn_scores [2, 2] .masked_fill(mask [2, 2], -torch.inf) -> [2, 2]");
  CHECK(render::shape_rail(index(inputs, 1)) == "inputs[1]: [2, 3] -> [3]");
  CHECK(render::shape_rail(index(index(batch_of_one, 0), 1)) == "batch[0][1]: [1, 2, 3] -> [3]");
  CHECK(render::shape_rail(transpose(view(batch_of_one, {1, 2, 3, 1}), 1, 2)) ==
        "batch [1, 2, 3] .view(1, 2, 3, 1) -> [1, 2, 3, 1] .transpose(1, 2) -> [1, 3, 2, 1]");
  CHECK(render::shape_rail(weighted_sum(index(rows({{1, 0}}), 0), inputs)).ends_with(": [2], [2, 3] -> [3]"));
  CHECK(render::shape_rail(cat(std::vector<Tensor>(9, inputs))) ==
        "torch.cat([inputs [2, 3], inputs [2, 3], ..., inputs [2, 3]], dim=-1) -> [2, 27]");
}

TEST_CASE("rows of only -inf have no notice about weights") {
  const Tensor x = rows({{minus_infinity, minus_infinity}, {0, 0}});
  CHECK(notices_of(softmax(x)).empty());
}

TEST_CASE("axes of tokens are followed through every operation") {
  const Tensor inputs = rows({{1, 0}, {3, 1}, {0, 2}}, "inputs");
  const Tensor batch = stack(inputs, 2);
  CHECK(render::counts_tokens(batch, 1));
  CHECK_FALSE(render::counts_tokens(batch, 0));
  const Tensor heads = transpose(view(batch, {2, 3, 2, 1}), 1, 2);
  CHECK(render::counts_tokens(heads, 2));
  CHECK_FALSE(render::counts_tokens(heads, 1));
  const Tensor scores = matmul(heads, transpose(heads, 2, 3));
  CHECK(render::counts_tokens(scores, 2));
  CHECK(render::counts_tokens(scores, 3));
  const Tensor others = rows({{1, 1}, {2, 2}, {3, 3}}, "second_input");
  const Tensor crossed = matmul(inputs, t(others));
  CHECK(render::counts_tokens(crossed, 0));
  CHECK_FALSE(render::counts_tokens(crossed, 1));
  CHECK(render::token_of(index(inputs, 2)) == 2);
  const Tensor pairs = pairwise_dots(inputs, others);
  CHECK(render::counts_tokens(pairs, 0));
  CHECK_FALSE(render::counts_tokens(pairs, 1));
  const Tensor scores_2 = dots(inputs, index(inputs, 2));
  CHECK(render::token_of(divide(scores_2, sum(scores_2))) == 2);
}

TEST_CASE("every step of every chapter has a reason of one to three sentences") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    const Walkthrough walkthrough = test::walked(entry);
    for (const Step& step : walkthrough.steps()) {
      CAPTURE(entry.name);
      CAPTURE(step.section);
      CAPTURE(step.name);
      const std::string why = chapters::meaning(entry, step);
      CHECK_FALSE(why.empty());
      CHECK(sentences(why) >= 1);
      CHECK(sentences(why) <= 3);
      CHECK(why.back() == '.');
      CHECK(why.size() > step.label.size() + 20);
    }
  }
}

TEST_CASE("JSON restores every float to the bit, and has strings for nan and inf") {
  const float largest = std::numeric_limits<float>::max();
  const float smallest = std::numeric_limits<float>::denorm_min();
  const std::vector<float> row = {0.1F, -0.0F, 1.0F, 16777216.0F, largest, smallest, 1e-40F, 3.4028235e38F};
  const nlohmann::ordered_json read = values_of(rows({row}));
  for (std::size_t i = 0; i < row.size(); ++i) {
    CHECK(std::bit_cast<std::uint32_t>(static_cast<float>(read[0][i].get<double>())) ==
          std::bit_cast<std::uint32_t>(row[i]));
  }
  CHECK(values_of(rows({{minus_infinity, -minus_infinity, std::nanf("")}})).dump() == R"([["-inf","inf","nan"]])");
  CHECK(values_of(torch::causal_mask(2)).dump() == "[[false,true],[false,false]]");
  CHECK(values_of(torch::ones({})).dump() == "1.0");
}

TEST_CASE("explanations are wrapped by columns, not by characters") {
  const std::vector<Step> steps = {{Step::Kind::text, "", "words", "", true, std::nullopt, "x", "\n"}};
  const auto why = [](const Step&) {
    std::string words;
    for (int i = 0; i < 30; ++i) {
      words += "注意機構 nai\u0308ve ";
    }
    return words;
  };
  std::ostringstream out;
  render::write_explained_text(out, steps, why, {}, {});
  const Strings lines = text::lines_of(out.str());
  CHECK(lines.size() > 5);
  for (const std::string& line : lines) {
    CHECK(text::display_columns(line) <= 80);
  }
}

TEST_CASE("Markdown: fences are balanced, and prose contains no markup") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    const std::vector<Step> steps = test::walked(entry).steps();
    std::ostringstream out;
    render::write_markdown(out, lesson_of(steps, "A lesson", why_of(entry), tokens_of(entry)));
    const Strings lines = text::lines_of(out.str());
    std::size_t opened = 0;
    bool is_open = false;
    for (const std::string& line : lines) {
      if (line.starts_with("```")) {
        CHECK(line == (is_open ? "```" : "```text"));
        opened += is_open ? 0 : 1;
        is_open = !is_open;
      } else if (!is_open && !line.starts_with("#") && !line.starts_with("`")) {
        CHECK(line.find("**") == std::string::npos);
      }
    }
    CHECK_FALSE(is_open);
    CHECK(opened == steps.size());
    CHECK(lines[0] == "# A lesson");
  }
  const std::vector<Step> odd = {{Step::Kind::text, "", "a`b", "", true, std::nullopt, "```\nx", "\n"}};
  std::ostringstream out;
  render::write_markdown(out, lesson_of(odd, "1. *x* <b>", [](const Step&) { return "- [a](b) _c_ d_in"; }, {}));
  CHECK(out.str() == "# 1\\. \\*x\\* \\<b\\>\n\n## ``a`b``\n\n\\- \\[a\\](b) \\_c\\_ d_in\n\n````text\n```\nx\n````\n");
}

TEST_CASE("a chapter's map has its steps, each below what it is made from, in lines that fit") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    CAPTURE(entry.name);
    CAPTURE(entry.article->name);
    const std::vector<Step> steps = test::walked(entry, {}, torch::Torch::Mode::plan).steps();
    const std::vector<render::MapLine> map = render::step_map(steps);
    for (auto line = map.begin(); line != map.end(); ++line) {
      CAPTURE(line->name);
      CHECK(line->name == steps[line->step].name);
      CHECK(line->shape == shape_text(steps[line->step].tensor->shape()));
      CHECK((line->sources.empty() || line->depth > 0));
      for (const std::string& source : line->sources) {
        CHECK(std::find_if(map.begin(), line, [&](const auto& one) { return one.name == source; }) != line);
      }
    }
    for (const Step& step : steps) {
      const bool is_made = step.kind == Step::Kind::tensor && !step.tensor->inputs().empty() &&
                           !step.tensor->operation().is_parameter() && step.tensor->kind() != Kind::comparison;
      CAPTURE(step.name);
      CHECK((!is_made || std::ranges::any_of(map, [&](const render::MapLine& line) {
        return line.name == step.name && line.shape == shape_text(step.tensor->shape());
      })));
    }
    CHECK(render::map_lines(map, 90).size() == map.size());
    for (const std::int64_t width : {90, 40, 20}) {
      for (const std::string& line : render::map_lines(map, width)) {
        CHECK(text::display_columns(line) <= width);
        CHECK_FALSE(line.ends_with(' '));
      }
    }
  }
  CHECK(render::map_lines(render::step_map({}), 80).empty());
}

TEST_CASE("an answer is right if it prints the same, and close if it is one unit off") {
  struct Row {
    const char* answer;
    const char* printed;
    Mark mark;
  };
  for (const Row& row : std::vector<Row>{{"0.1587", "0.1587", Mark::right},
                                         {" .15868 ", "0.1587", Mark::right},
                                         {"+0.1587", "0.1587", Mark::right},
                                         {"0.16", "0.1600", Mark::right},
                                         {"0.16", "0.1587", Mark::coarse},
                                         {"0.159", "0.1587", Mark::coarse},
                                         {"0.15", "0.1587", Mark::wrong},
                                         {"0", "0.1587", Mark::wrong},
                                         {"1", "0.9921", Mark::wrong},
                                         {"?", "0.1587", Mark::hint},
                                         {"0.1588", "0.1587", Mark::close},
                                         {"0.1586", "0.1587", Mark::close},
                                         {"0.1589", "0.1587", Mark::wrong},
                                         {"-0.1587", "0.1587", Mark::wrong},
                                         {"0", "-0.0000", Mark::right},
                                         {"3", "3.", Mark::right},
                                         {"1.587e-1", "1.5870e-01", Mark::right},
                                         {"0.15871", "1.5870e-01", Mark::close},
                                         {"-inf", "-inf", Mark::right},
                                         {"-1000", "-inf", Mark::wrong},
                                         {"inf", "1.0000", Mark::wrong},
                                         {"nan", "nan", Mark::right},
                                         {"\r", "0.1587", Mark::unknown}}) {
    CAPTURE(row.answer);
    CHECK(present::mark(row.answer, row.printed) == row.mark);
  }
  for (const char* nonsense : {"a lot", "0,1587", "1/3", "+-1", "0.1 0.2", "--1", "0x"}) {
    CHECK(present::mark(nonsense, "0.1587") == Mark::no_number);
  }
}
