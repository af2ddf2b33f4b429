// What meets in a cell, as the presenter shows it.

#include "present/meeting.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "chapter.hpp"
#include "lesson/derived.hpp"
#include "tensor/derivation.hpp"
#include "text/styled.hpp"
#include "torch/torch.hpp"
#include "walk/walkthrough.hpp"

namespace {

using namespace attn;
using Lines = std::vector<text::StyledLine>;
using Rule = Derivation::Rule;

Walkthrough walk_of(const std::string& name, const Lesson& lesson) {
  const auto& all = chapters::all_chapters();
  const auto chapter = std::ranges::find_if(all, [&](const chapters::Chapter& one) { return one.name == name; });
  torch::Torch torch({}, lesson.dropout_kernel, torch::Torch::Mode::compute);
  return chapters::walk(*chapter, lesson, torch);
}

std::vector<std::string> reversed(const Lines& lines) {
  std::vector<std::string> found;
  for (const text::StyledLine& line : lines) {
    for (const text::Run& run : line) {
      if (run.style.reverse) {
        found.push_back(run.text);
      }
    }
  }
  return found;
}

std::string text_of(const Tensor& tensor, const Element& element) {
  const double value = render::value_of(tensor, element);
  const bool is_boolean = tensor.operands()[element.operand].dtype() == DType::boolean;
  return is_boolean ? value != 0 ? "True" : "False" : render::arithmetic_text(value, 4);
}

/// The numbers that a derivation is of: of products all of one operand, then all of the other.
std::vector<std::string> expected(const Tensor& tensor, const Shape& index) {
  const Derivation derivation = render::derived(tensor, index);
  std::vector<std::string> numbers;
  const auto add = [&](const Element& element) { numbers.push_back(text_of(tensor, element)); };
  if (derivation.terms.empty()) {
    return numbers;
  }
  if (derivation.rule == Rule::softmax) {
    add(derivation.terms[derivation.position].a);
    float largest = -std::numeric_limits<float>::infinity();
    for (const Derivation::Term& term : derivation.terms) {
      largest = std::max(largest, static_cast<float>(render::value_of(tensor, term.a)));
    }
    const float own = static_cast<float>(render::value_of(tensor, derivation.terms[derivation.position].a));
    numbers.push_back(render::arithmetic_text(std::exp(static_cast<double>(own - largest)), 4));
    return numbers;
  }
  if (derivation.rule == Rule::masked) {
    add({0, index});
  }
  for (const Derivation::Term& term : derivation.terms) {
    add(term.a);
  }
  for (const Derivation::Term& term : derivation.terms) {
    if (term.b) {
      add(*term.b);
    }
  }
  const bool has_constant = derivation.rule == Rule::quotient && !derivation.terms[0].b;
  if (has_constant) {
    numbers.push_back(render::arithmetic_text(derivation.constant, 4));
  }
  return numbers;
}

}  // namespace

TEST_CASE("the shown operands are those of the derivation, in every step of every chapter") {
  const std::vector<std::string> tokens = {"Your", "journey", "starts", "with", "one", "step"};
  std::vector<Rule> seen;
  for (const std::string name : {"simplified", "trainable", "causal", "dropout", "multihead", "cross"}) {
    const Walkthrough walk = walk_of(name, {});
    for (const Step& step : walk.steps()) {
      if (step.kind != Step::Kind::tensor || element_count(step.tensor->shape()) == 0) {
        continue;
      }
      const std::int64_t count = element_count(step.tensor->shape());
      for (const std::int64_t position :
           {std::int64_t{0}, std::min<std::int64_t>(1, count - 1), count / 2, count - 1}) {
        const Shape index = index_at(position, step.tensor->shape());
        const Derivation derivation = render::derived(*step.tensor, index);
        if (derivation.terms.size() > 24) {
          continue;
        }
        CAPTURE(name);
        CAPTURE(step.name);
        CAPTURE(position);
        seen.push_back(derivation.rule);
        std::vector<std::string> found = reversed(present::meeting_lines({&step, index}, tokens, {}, 500));
        CHECK(found == expected(*step.tensor, index));
        for (const std::int64_t width : {80, 40, 20}) {  // in blocks: the same numbers in another order
          const Lines narrow = present::meeting_lines({&step, index}, tokens, {}, width);
          std::vector<std::string> others = reversed(narrow);
          std::ranges::sort(others);
          std::ranges::sort(found);
          CHECK(others == found);
          for (const text::StyledLine& line : narrow) {
            CHECK(text::display_columns(line) <= width);
          }
        }
      }
    }
  }
  for (const Rule rule :
       {Rule::copy, Rule::products, Rule::quotient, Rule::softmax, Rule::masked, Rule::kept, Rule::dropped}) {
    CAPTURE(static_cast<int>(rule));
    CHECK(std::ranges::find(seen, rule) != seen.end());
  }
}

TEST_CASE("a row of queries is above the row of keys that it is multiplied with") {
  const Walkthrough walk = walk_of("causal", {});
  const auto step = std::ranges::find(walk.steps(), std::string("attn_scores"), &Step::name);
  const std::vector<std::string> tokens = {"Your", "journey", "starts", "with", "one", "step"};
  const Lines lines = present::meeting_lines({&*step, {1, 2, 0}}, tokens, {}, 80);
  REQUIRE(lines.size() == 3);
  CHECK(text::plain_text(lines[0]).starts_with("row queries[1, 2, :] (starts) "));
  CHECK(text::plain_text(lines[1]).starts_with("row keys[1, 0, :] (Your) "));
  CHECK(text::plain_text(lines[2]).starts_with("products "));
}

TEST_CASE("a long sum shows its first and last numbers, a long softmax also the chosen one") {
  Lesson lesson;
  lesson.tokens = 60;
  const Walkthrough walk = walk_of("causal", lesson);
  const auto step = std::ranges::find(walk.steps(), std::string("attn_weights"), &Step::name);
  const Lines lines = present::meeting_lines({&*step, {0, 59, 30}}, {}, {}, 1000);
  REQUIRE(lines.size() == 2);
  std::string line = text::plain_text(lines[0]);
  CHECK(std::ranges::count(line, '.') == 17 + 2 * 3);  // 12, ..., 1, ..., 4
  CHECK(reversed(lines).size() == 2);
  CHECK(present::meeting_lines({&*std::ranges::find(walk.steps(), std::string("inputs"), &Step::name), {0, 0}}, {}, {},
                               80)
            .empty());
}
