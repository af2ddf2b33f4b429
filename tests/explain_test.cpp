// What is said of each step: shapes, what its numbers show, why it is there; as text, JSON and Markdown.

#include "lesson/explain.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "chapter.hpp"
#include "inputs.hpp"
#include "lesson/lineage.hpp"
#include "lesson/notices.hpp"
#include "lesson/numbers.hpp"
#include "meanings.hpp"
#include "render/json.hpp"
#include "render/markdown.hpp"
#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"
#include "text/columns.hpp"
#include "torch/torch.hpp"

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

bool has(const Strings& notices, const std::string& part) {
  return std::any_of(notices.begin(), notices.end(),
                     [&](const std::string& notice) { return notice.find(part) != std::string::npos; });
}

Walkthrough walk(const chapters::Chapter& entry, Lesson lesson = {}) {
  lesson.kernels.cpu = entry.article->cpu;
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  return chapters::walk(entry, lesson, torch);
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

TEST_CASE("softmax: row sums, the triangle and the largest weight are mentioned only where true") {
  const Tensor inputs = rows({{1, 0}, {3, 1}, {0, 2}}, "inputs");
  const Strings tokens = {"a", "b", "c"};
  const Tensor scores = matmul(inputs, t(inputs));
  const Strings plain = notices_of(softmax(scores), tokens);
  CHECK(has(plain, "each row sums to 1"));
  CHECK_FALSE(has(plain, "above the diagonal"));
  CHECK(has(plain, "\"b\" attends to itself"));
  CHECK(has(plain, "2 of 3 tokens attend most to \"b\""));
  const Tensor masked = masked_fill(scores, torch::causal_mask(3), minus_infinity);
  CHECK(has(notices_of(masked), "3 of 9 scores are now -inf, the rest are unchanged"));
  CHECK(has(notices_of(masked), "entries above the diagonal are -inf"));
  const Strings causal = notices_of(softmax(masked), tokens);
  CHECK(has(causal, "entries above the diagonal are 0"));
  CHECK(has(causal, "\"a\" attends only to itself"));
  CHECK_FALSE(has(causal, "equal weights"));
  CHECK_FALSE(has(notices_of(softmax(scores)), "\""));
}

TEST_CASE("masking weights with 0 and softmax along the first axis are recognised") {
  const Tensor scores = rows({{1, 2}, {3, 5}});
  const Strings masked = notices_of(masked_fill(softmax(scores), torch::causal_mask(2), 0));
  CHECK(has(masked, "1 of 4 weights is now 0, the rest are unchanged"));
  CHECK(has(masked, "row [0] sums to 0.2689, row [1] to 1.0000, because it lost no weight"));
  const Strings down = notices_of(softmax_over(scores, 0));
  CHECK(down == Strings{"each column sums to 1, not each row"});
}

TEST_CASE("rows of only -inf have no notice about weights") {
  const Tensor x = rows({{minus_infinity, minus_infinity}, {0, 0}});
  CHECK(notices_of(softmax(x)).empty());
}

TEST_CASE("equal weights are called equal") {
  const Strings notices = notices_of(softmax(rows({{2, 2}, {3, 3}})));
  CHECK(has(notices, "all weights are equal: 0.5000"));
  CHECK_FALSE(has(notices, "largest"));
}

TEST_CASE("scores: symmetric where both sides are the same") {
  const Tensor inputs = rows({{1, 0}, {3, 1}}, "inputs");
  CHECK(has(notices_of(matmul(inputs, t(inputs))), "symmetric: [i, j] equals [j, i], because both sides are inputs"));
  CHECK(
      has(notices_of(pairwise_dots(inputs, inputs)), "symmetric: [i, j] equals [j, i], because both sides are inputs"));
  const Tensor keys = matmul(inputs, rows({{0, 1}, {1, 5}}, "W"));
  CHECK_FALSE(has(notices_of(matmul(inputs, t(keys))), "both sides are inputs"));
  const Tensor other = matmul(inputs, rows({{0, 1}, {4, 5}}, "W"));
  CHECK(has(notices_of(matmul(inputs, t(other))), "not symmetric: [0, 1] is 4.0000, [1, 0] is 1.0000"));
}

TEST_CASE("dropout: dropped entries, scaled entries and empty rows") {
  const Tensor weights = rows({{1, 0}, {0.25F, 0.75F}});
  const auto mask = [](std::vector<bool> keep) {
    return leaf({2, 2}, DType::boolean, "keep", [keep] {
      Block<bool> values({2, 2});
      std::copy(keep.begin(), keep.end(), values.begin());
      return Contents(std::move(values));
    });
  };
  const Strings some = notices_of(dropout(weights, mask({false, true, true, false}), 0.5));
  CHECK(has(some, "2 of 4 entries dropped; kept ones are multiplied by 2"));
  CHECK(has(some, "row [1] sums to 0.5000, not to 1"));
  CHECK(has(some, "row [0] is all 0: every weight there was dropped"));
  const Strings zero = notices_of(dropout(weights, mask({true, false, true, true}), 0.5));
  CHECK(has(zero, "1 of 4 entries dropped (1 of them was already 0); kept ones are multiplied by 2"));
  CHECK_FALSE(has(zero, "every weight there was dropped"));
  const Strings none = notices_of(dropout(weights, mask({true, true, true, true}), 0));
  CHECK(none == Strings{"nothing is dropped: the numbers are unchanged"});
  const Strings all = notices_of(dropout(weights, mask({false, false, false, false}), 1));
  CHECK(has(all, "all entries are now 0"));
  CHECK_FALSE(has(all, "kept"));
}

TEST_CASE("shares of a sum: the weights of one query if no score is negative") {
  const Tensor inputs = rows({{1, 0}, {3, 1}, {0, 2}}, "inputs");
  const Tensor scores = dots(inputs, index(inputs, 1));
  const Strings shares = notices_of(divide(scores, sum(scores)), {"a", "b", "c"});
  CHECK(shares == Strings{"the weights sum to 1", "\"b\" attends most to itself, 0.6667"});
  const Tensor mixed = dots(inputs, index(rows({{1, -1}}), 0));
  CHECK(notices_of(divide(mixed, sum(mixed))) == Strings{"some entries are negative, so they are not proportions"});
  const Tensor alone = dots(rows({{2}}, "inputs"), index(rows({{2}}, "inputs"), 0));
  CHECK(notices_of(divide(alone, sum(alone)), {"a"}) == Strings{"the weights sum to 1"});
}

TEST_CASE("batch entries are called equal only where they are") {
  const Tensor inputs = rows({{1, 2}, {3, 4}}, "inputs");
  CHECK(has(notices_of(stack(inputs, 2)), "both batch entries are equal"));
  CHECK(has(notices_of(stack(inputs, 3)), "all 3 batch entries are equal"));
  CHECK_FALSE(has(notices_of(stack(inputs, 1)), "same"));
}

TEST_CASE("nn.Linear's weights: the range is mentioned only where true") {
  torch::Torch torch(Kernels{}, DropoutKernel::standard, torch::Torch::Mode::compute);
  CHECK(has(notices_of(torch.linear(4, 2, false, "W").weight), "between -0.5000 and 0.5000"));
  CHECK_FALSE(has(notices_of(parameter(rows({{9, 9}}), "nn.Linear(2, 1).weight")), "between"));
}

TEST_CASE("averages: rows of weights that sum to 1 keep each column's range") {
  const Tensor values = rows({{1, -5}, {2, 5}}, "values");
  const Tensor scores = rows({{1, 2}, {3, 4}});
  CHECK(has(notices_of(matmul(softmax(scores), values)), "weighted average of rows of values"));
  CHECK_FALSE(has(notices_of(matmul(scores, values)), "average"));
}

TEST_CASE("scaling: the divisor follows from the numbers") {
  const Tensor scores = rows({{1, minus_infinity}, {3, -4}});
  const Strings notices = notices_of(scale(scores, rows({{1, 2}}, "keys")));
  CHECK(has(notices, "divided by 1.4142, the square root of 2"));
  CHECK(has(notices, "-inf stays -inf"));
  CHECK_FALSE(has(notices_of(divide(scores, 2, "2")), "square root"));
}

TEST_CASE("repeated words are distinguished by number") {
  const Tensor inputs = rows({{1, 0}, {3, 1}}, "inputs");
  const Tensor scores = dots(inputs, index(inputs, 1));
  CHECK(has(notices_of(scores, Strings{"the", "the"}), "\"the\" (token 1) scores highest with itself"));
  CHECK(has(notices_of(scores), "the highest score is 10.0000, at [1]"));
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
    const Walkthrough walkthrough = walk(entry);
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
      std::vector<Step> steps = walk(entry).steps();
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

TEST_CASE("explanations keep to the width") {
  const chapters::Chapter& entry = chapters::all_chapters().front();
  std::ostringstream out;
  render::write_explained_text(out, walk(entry).steps(), why_of(entry), tokens_of(entry), {});
  for (const std::string& line : lines_of(out.str())) {
    CHECK(line.size() <= 80);
    CHECK_FALSE(line.ends_with(' '));
  }
}

TEST_CASE("other sizes, seeds and rates are explained without an error or a NaN") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    for (const std::int64_t tokens : {1, 2, 7}) {
      for (const double p : {0.0, 0.5, 1.0}) {
        Lesson lesson;
        lesson.seed = 7;
        lesson.tokens = tokens;
        lesson.dropout = p;
        const Walkthrough walkthrough = walk(entry, lesson);
        for (const Step& step : walkthrough.steps()) {
          for (const std::string& notice : render::explain(step, {}, {}).notices) {
            CAPTURE(notice);
            CHECK(notice.find("nan") == std::string::npos);
            CHECK(notice.find("e+") == std::string::npos);
          }
        }
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
  const Walkthrough walkthrough = walk(entry);
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

TEST_CASE("JSON has every step with its explanation") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    const std::vector<Step> steps = walk(entry).steps();
    std::ostringstream out;
    render::JsonWriter writer(out);
    render::write_steps_json(writer, {{"tool", "attn-walkthrough"}}, steps, why_of(entry), tokens_of(entry));
    const auto json = nlohmann::ordered_json::parse(out.str());
    CHECK(json.dump(2) == out.str());
    CHECK(json["tool"] == "attn-walkthrough");
    REQUIRE(json["steps"].size() == steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto& step = json["steps"][i];
      CHECK(step["name"] == steps[i].name);
      CHECK(step.contains("values") == (steps[i].kind == Step::Kind::tensor));
      CHECK(step.contains("text") == (steps[i].kind == Step::Kind::text));
      CHECK_FALSE(step["explanation"]["why"].get<std::string>().empty());
    }
  }
}

TEST_CASE("Markdown: fences are balanced, and prose contains no markup") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    const std::vector<Step> steps = walk(entry).steps();
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
