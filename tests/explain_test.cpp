// What is said of each step: shapes, what its numbers show, why it is there; as text, JSON and Markdown.

#include "lesson/explain.hpp"

#include "chapters/inputs.hpp"
#include "chapters/meanings.hpp"
#include "lesson/lineage.hpp"
#include "lesson/notices.hpp"
#include "lesson/numbers.hpp"
#include "made.hpp"
#include "render/json.hpp"
#include "render/markdown.hpp"
#include "tensor/what_if.hpp"
#include "text/columns.hpp"

namespace {

using namespace attn;
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

Strings lines_of(const std::string& text) {
  std::istringstream in(text);
  Strings lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string without_explanation(const std::string& text) {
  std::string plain;
  for (const std::string& line : lines_of(text)) {
    plain += line.starts_with("# ") ? "" : line + "\n";
  }
  return plain;
}

void check_floats(const nlohmann::ordered_json& json, const float*& next) {
  if (json.is_array()) {
    for (const auto& element : json) {
      check_floats(element, next);
    }
    return;
  }
  const float value = *next++;
  if (json.is_string()) {
    CHECK(json == (std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf"));
    return;
  }
  const auto read = static_cast<float>(json.get<double>());
  CHECK(std::memcmp(&read, &value, sizeof value) == 0);
}

nlohmann::ordered_json values_of(const Tensor& tensor) {
  std::ostringstream out;
  render::JsonWriter json(out);
  render::write_values(json, tensor);
  CHECK(nlohmann::ordered_json::parse(out.str()).dump(2) == out.str());
  return nlohmann::ordered_json::parse(out.str());
}

void check_round_trip(const Tensor& tensor) {
  const auto read = values_of(tensor);
  const auto contents = tensor.array().contents();
  const float* next = std::get<Block<float>>(*contents).data();
  check_floats(read, next);
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
  CHECK(render::shape_rail(inputs) == "torch.tensor([[...]]) -> [2, 3]");
  CHECK(render::shape_rail(queries) == "W_query(inputs [2, 3]) -> [2, 2]");
  CHECK(render::shape_rail(keys_t) == "queries [2, 2] .T -> [2, 2]");
  CHECK(render::shape_rail(scores) == "queries [2, 2] @ queries.T [2, 2] -> [2, 2]");
  CHECK(render::shape_rail(softmax(scores)) == "torch.softmax((queries @ keys_transposed) [2, 2], dim=-1) -> [2, 2]");
  scores.set_name("attn_scores");
  const Tensor mask = torch::causal_mask(2);
  mask.set_name("mask");
  CHECK(render::shape_rail(masked_fill(scores, mask, minus_infinity)) ==
        "attn_scores [2, 2] .masked_fill(mask [2, 2], -torch.inf) -> [2, 2]");
  CHECK(render::shape_rail(index(inputs, 1)) == "inputs[1]: [2, 3] -> [3]");
  CHECK(render::shape_rail(index(index(batch_of_one, 0), 1)) == "batch[0][1]: [1, 2, 3] -> [3]");
  CHECK(render::shape_rail(sum(scores)) == "attn_scores [2, 2] .sum(dim=-1) -> [2]");
  CHECK(render::shape_rail(stack(inputs, 2)) == "torch.stack((inputs [2, 3], inputs [2, 3]), dim=0) -> [2, 2, 3]");
  CHECK(render::shape_rail(transpose(view(batch_of_one, {1, 2, 3, 1}), 1, 2)) ==
        "batch [1, 2, 3] .view(1, 2, 3, 1) -> [1, 2, 3, 1] .transpose(1, 2) -> [1, 3, 2, 1]");
  CHECK(render::shape_rail(parameter(torch::ones({2, 2}))) == "nn.Parameter(torch.ones(2, 2)) -> [2, 2]");
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

TEST_CASE("explained text without its # lines is the plain text, at every width") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    for (const bool all_steps : {true, false}) {
      std::vector<Step> steps = test::walked(entry).steps();
      std::erase_if(steps, [&](const Step& step) { return !all_steps && !step.in_article; });
      for (const std::int64_t width : {20, 80, 1000}) {
        render::TextOptions options;
        options.print.linewidth = width;
        std::ostringstream plain;
        render::write_text(plain, steps, options);
        std::ostringstream explained;
        render::write_explained_text(explained, steps, why_of(entry), tokens_of(entry), options);
        CHECK(without_explanation(explained.str()) == plain.str());
        CHECK(explained.str() != plain.str());
      }
    }
  }
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

TEST_CASE("JSON restores every float to the bit, and has strings for nan and inf") {
  const float largest = std::numeric_limits<float>::max();
  const float smallest = std::numeric_limits<float>::denorm_min();
  check_round_trip(rows({{0.1F, -0.0F, 1.0F, 16777216.0F}, {largest, smallest, 1e-40F, 3.4028235e38F}}));
  check_round_trip(rows({{minus_infinity, -minus_infinity, std::nanf("")}}));
  CHECK(values_of(rows({{0.1F, minus_infinity}})).dump() == "[[0.1,\"-inf\"]]");
  CHECK(values_of(torch::causal_mask(2)).dump() == "[[false,true],[false,false]]");
  CHECK(values_of(torch::ones({})).dump() == "1.0");
  const chapters::Chapter& entry = chapters::all_chapters().front();
  const Walkthrough walkthrough = test::walked(entry);
  for (const Step& step : walkthrough.steps()) {
    if (step.tensor->dtype() == DType::float32) {
      check_round_trip(*step.tensor);
    }
  }
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
  const Strings lines = lines_of(out.str());
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
    const Strings lines = lines_of(out.str());
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
