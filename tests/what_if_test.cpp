// Programs with one line changed, what is said of the change, both walkthroughs side by side, and own sentences.

#include "walk/what_if.hpp"
#include "verify/causes/mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "chapter.hpp"
#include "inputs.hpp"
#include "lesson/likeness.hpp"
#include "lesson/side_by_side.hpp"
#include "sentence.hpp"
#include "tensor/operations.hpp"
#include "tensor/what_if.hpp"

namespace {

using namespace attn;

Walkthrough walked(const chapters::Chapter& entry, const Lesson& lesson) {
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  return chapters::walk(entry, lesson, torch);
}

const chapters::Chapter& entry_of(const std::string& chapter, const std::string& article) {
  const auto all = chapters::all_chapters();
  return *std::find_if(all.begin(), all.end(), [&](const chapters::Chapter& entry) {
    return entry.name == chapter && entry.article->name == article;
  });
}

const WhatIf& what_if(const std::string& name) {
  const auto all = all_what_ifs();
  return *std::find_if(all.begin(), all.end(), [&name](const WhatIf& one) { return one.name == name; });
}

std::string did(const std::string& chapter, const std::string& article, const std::string& name, Lesson lesson = {}) {
  const Walkthrough before = walked(entry_of(chapter, article), lesson);
  return what_the_change_did(what_if(name), before.steps(), changed(before, what_if(name)).steps());
}

const Tensor* find(const Walkthrough& walk, const std::string& name) {
  for (const Step& step : walk.steps()) {
    if (step.kind == Step::Kind::tensor && step.name == name) {
      return &*step.tensor;
    }
  }
  return nullptr;
}

Walkthrough blog_causal(const std::string& name) {
  return changed(walked(entry_of("causal", "blog"), {}), what_if(name));
}

std::string refusal(const std::string& sentence) {
  try {
    chapters::sentence_words(sentence);
  } catch (const LessonError& error) {
    return error.what();
  }
  return "";
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("every rule changes only its own line") {
  CHECK(find(blog_causal("no-scaling"), "scaled_attn_scores") == nullptr);
  CHECK(find(blog_causal("no-scaling"), "attn_weights")->expression() == "torch.softmax(masked_attn_scores, dim=-1)");
  CHECK(find(blog_causal("no-mask"), "masked_attn_scores") == nullptr);
  CHECK(find(blog_causal("no-mask"), "scaled_attn_scores")->expression() == "attn_scores / keys.shape[-1]**0.5");
  CHECK(find(blog_causal("mask-after-softmax"), "attn_weights")->expression() ==
        "unmasked_attn_weights.masked_fill(mask, 0.0)");
  CHECK(find(blog_causal("no-rescale"), "dropout_attn_weights")->expression() == "attn_weights * dropout_mask");
  CHECK(find(blog_causal("softmax-dim-0"), "attn_weights")->expression() == "torch.softmax(scaled_attn_scores, dim=0)");
  CHECK(find(blog_causal("same-weights"), "keys")->expression() == "W_query(batch)");
  CHECK(find(blog_causal("same-weights"), "W_key")->expression() == "nn.Linear(3, 3, bias=False).weight");
}

TEST_CASE("random draws are the same for every rule") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    const Walkthrough before = walked(entry, {});
    for (const WhatIf* what_if : chapters::what_ifs(entry)) {
      const Walkthrough after = changed(before, *what_if);
      for (const char* name : {"inputs", "W_query", "W_key", "W_value", "dropout_mask", "out_proj_weight"}) {
        if (const Tensor* tensor = find(before, name)) {
          CAPTURE(entry.name);
          CAPTURE(name);
          CHECK(render::same_numbers(*tensor, *find(after, name)));
        }
      }
    }
  }
}

TEST_CASE("each known mistake works in every chapter, or is refused because of shapes") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    const Walkthrough right = walked(entry, {});
    for (const Mistake& mistake : mistakes_in(right.steps())) {
      CAPTURE(entry.article->name);
      CAPTURE(entry.name);
      CAPTURE(mistake.name);
      Rewriter rewriter(mistake.rule);
      for (const Step& step : right.steps()) {
        if (step.kind == Step::Kind::tensor) {
          try {
            rewriter(*step.tensor).array();
          } catch (const ShapeError&) {
          }
        }
      }
    }
  }
}

TEST_CASE("softmax over an axis before the last, and a product with a mask") {
  const std::vector<std::vector<float>> rows = {{0, 1, 2}, {0, 3, 2}};
  const Tensor weights = softmax_over(torch::tensor(rows), 0);
  const float* values = weights.array().floats();
  CHECK(values[0] == 0.5F);
  CHECK(values[3] == 0.5F);
  CHECK(values[2] == 0.5F);
  CHECK(values[1] + values[4] == doctest::Approx(1));
  CHECK(values[4] / values[1] == doctest::Approx(std::exp(2.0)));
  CHECK_THROWS_AS(softmax_over(torch::tensor(rows), 1), ShapeError);
  const Tensor mask = torch::causal_mask(2);
  CHECK_THROWS_AS(kept(torch::tensor(rows), mask), ShapeError);
  const Tensor product = kept(torch::ones({2, 2}), mask);
  CHECK(product.array().floats()[0] == 0);
  CHECK(product.array().floats()[1] == 1);
}

TEST_CASE("one sentence describes the effect of a change") {
  CHECK(did("causal", "blog", "no-scaling") ==
        "Without scaling, a row's largest weight grows from 0.43 to 0.44 on average.");
  CHECK(did("causal", "livebook", "mask-after-softmax") ==
        "Masked after softmax, a row keeps only the weight of the tokens it may see: its sum falls from 1 to "
        "0.61 on average.");
  CHECK(did("causal", "blog", "no-mask").find("grows from 0 to 0.43 on average") != std::string::npos);
  CHECK(did("causal", "blog", "no-rescale").find("falls from 0.89 to 0.71") != std::string::npos);
  CHECK(did("causal", "blog", "softmax-dim-0") ==
        "Taken over dim 0, softmax no longer makes rows sum to 1: a row's sum grows from 1 to 3 on average, except for "
        "10 "
        "rows with nan.");
  CHECK(did("trainable", "blog", "same-weights").find("falls from 0.1 to 0.") != std::string::npos);
}

TEST_CASE("the sentence states only what holds for all numbers") {
  Lesson lesson;
  lesson.dropout = 0.5;
  CHECK(did("multihead", "blog", "no-rescale", lesson).find("a row's sum falls from 1.12 to 0.56") !=
        std::string::npos);
  lesson = {};
  lesson.tokens = 8;
  CHECK(did("cross", "ahead-of-ai", "same-weights", lesson).find("scores change by up to") != std::string::npos);
  lesson.tokens = 1;
  CHECK(did("trainable", "blog", "same-weights", lesson).find("scores change by up to") != std::string::npos);
}

TEST_CASE("rows with nan are left out and mentioned") {
  const auto said = [](const std::vector<std::vector<float>>& scores, const std::vector<std::vector<float>>& after) {
    Walkthrough as_is;
    Walkthrough changed;
    as_is.show("attn_weights", "", softmax(torch::tensor(scores)));
    changed.show("attn_weights", "", torch::tensor(after));
    return what_the_change_did(what_if("mask-after-softmax"), as_is.steps(), changed.steps());
  };
  const std::string start = "Masked after softmax, a row keeps only the weight of the tokens it may see: its sum ";
  CHECK(said({{0, -INFINITY}, {0, 0}}, {{0.5F, 0}, {0.5F, 0.5F}}) == start + "falls from 1 to 0.75 on average.");
  CHECK(said({{0, -INFINITY}, {NAN, NAN}}, {{0.5F, 0}, {0.5F, 0.5F}}) ==
        start + "falls from 1 to 0.5, except for one row with nan.");
  CHECK(said({{NAN, 0}, {0, -INFINITY}}, {{0.5F, 0}, {NAN, 0}}) ==
        start + "is unknown, because every row contains nan.");
  CHECK(said({{0, -INFINITY}}, {{0, 1}}) == start + "stays 1.");
  CHECK(from_to(0, static_cast<double>(3e-10F)) == "grows from 0 to 3e-10");
  CHECK(from_to(static_cast<double>(1e30F), 0) == "falls from 1e+30 to 0");
}

TEST_CASE("the sentence says that the weights stay the same") {
  Walkthrough as_is;
  Walkthrough changed;
  as_is.show("scaled_attn_scores", "", torch::ones({2}));
  changed.show("scaled_attn_scores", "", torch::tensor({1, 2}, Shape{2}));
  CHECK(what_the_change_did(what_if("no-mask"), as_is.steps(), changed.steps()) ==
        "The weights stay the same; other numbers change.");
}

TEST_CASE("a change without effect is reported as such") {
  Lesson lesson;
  CHECK(did("multihead", "blog", "no-rescale", lesson).starts_with("No number changed: with p = 0"));
  lesson.d_out_kq = 1;
  CHECK(did("causal", "blog", "no-scaling", lesson).starts_with("No number changed: the keys' dimension is 1"));
  lesson.tokens = 1;
  CHECK(did("causal", "livebook", "no-mask", lesson).starts_with("No number changed: a single token"));
}

TEST_CASE("an unchanged size is not reported for its tensor") {
  Walkthrough before;
  Walkthrough after;
  before.show("keys", "", torch::ones({2}));
  after.show("keys", "", torch::causal_mask(2));
  before.size("keys", "", torch::ones({2}));
  after.size("keys", "", torch::ones({2}));
  std::ostringstream out;
  render::write_side_by_side(out, before.steps(), after.steps(), "It changed.", {}, 80);
  CHECK(out.str().find("\n# keys.shape: same as before\n") != std::string::npos);
}

TEST_CASE("both walkthroughs are side by side, or one below the other") {
  const std::vector<std::vector<float>> rows = {{1, 2}, {-3, 4}};
  const std::vector<std::vector<float>> other_rows = {{1, 2.5F}, {-3, 4}};
  Walkthrough before;
  Walkthrough after;
  before.show("inputs", "inputs\n", torch::ones({2}));
  after.show("inputs", "inputs\n", torch::ones({2}));
  before.show("gone", "gone:", torch::ones({}));
  before.show("x", "x:\n", torch::tensor(rows));
  after.show("x", "x:\n", torch::tensor(other_rows));
  const auto written = [&](std::int64_t width) {
    std::ostringstream out;
    render::write_side_by_side(out, before.steps(), after.steps(), "It changed.", {}, width);
    return out.str();
  };
  CHECK(written(80) ==
        "# It changed.\n"
        "# original           | # changed\n"
        "# inputs: same as before\n"
        "gone: tensor(1.)     | # no gone here\n"
        "x:                   | x:\n"
        " tensor([[ 1.,  2.], |  tensor([[  1.0000,  *2.5000],\n"
        "        [-3.,  4.]]) |         [ -3.0000,   4.0000]])\n");
  CHECK(written(20) ==
        "# It changed.\n# inputs: same as before\n"
        "# original\ngone: tensor(1.)\n# changed\n# no gone here\n"
        "# original\nx:\n tensor([[ 1.,  2.],\n        [-3.,  4.]])\n"
        "# changed\nx:\n tensor([[  1.0000,  *2.5000],\n        [ -3.0000,   4.0000]])\n");
}

TEST_CASE("a sentence is split as in the article") {
  CHECK(chapters::sentence_words("Life is short, eat dessert first") ==
        Words{"Life", "is", "short", "eat", "dessert", "first"});
  CHECK(chapters::sentence_words("  Don't; stop!?\u3000Ça va.") == Words{"Don't", "stop", "Ça", "va"});
  const auto vocabulary = chapters::vocabulary_of({"the", "cat", "the", "Zoo"});
  CHECK(chapters::python_dict(vocabulary) == "{'Zoo': 0, 'cat': 1, 'the': 3}");
}

TEST_CASE("words are quoted as Python quotes them") {
  CHECK(chapters::python_dict({{"it's", 0}}) == "{\"it's\": 0}");
  CHECK(chapters::python_dict({{"'\"", 1}}) == "{'\\'\"': 1}");
  CHECK(chapters::python_dict({{"a\\b", 2}}) == "{'a\\\\b': 2}");
  CHECK(chapters::python_dict({{"Ça", 0}, {"大事", 1}}) == "{'Ça': 0, '大事': 1}");
  CHECK(chapters::python_dict({{"a\u200db", 0}}) == "{'a\\u200db': 0}");
}

TEST_CASE("invalid sentences are refused") {
  CHECK(refusal("").find("has no words; give") != std::string::npos);
  CHECK(refusal(" ,. !") != "");
  CHECK(refusal("a\tb").find("control character \\x09") != std::string::npos);
  CHECK(refusal("a \xff b").find("is not UTF-8 from byte 2 on") != std::string::npos);
  CHECK(refusal("\xed\xa0\x80") != "");
  CHECK(refusal("\xc3") != "");
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    many += "word ";
  }
  CHECK(refusal(many) == "");
  CHECK(refusal(many + "word").find("has 1001 words") != std::string::npos);
}

TEST_CASE("a sentence can be embedded in every chapter, and names its tokens") {
  for (const chapters::Chapter& entry : chapters::all_chapters()) {
    Lesson lesson;
    lesson.sentence = "the cat saw the dog";
    const Walkthrough walk = walked(entry, lesson);
    CAPTURE(entry.name);
    if (find(walk, "inputs") != nullptr) {
      CHECK(find(walk, "inputs")->shape() == Shape{5, entry.takes.d_in});
      CHECK(find(walk, "ids")->shape() == Shape{5});
    }
    CHECK(chapters::token_words(*entry.article, lesson) == Words{"the", "cat", "saw", "the", "dog"});
    lesson.tokens = 5;
    CHECK_THROWS_AS(walked(entry, lesson), LessonError);
  }
  Lesson wide;
  wide.sentence = "the cat";
  wide.d_in = 5;
  CHECK(find(walked(entry_of("causal", "livebook"), wide), "inputs")->shape() == Shape{2, 5});
  wide.d_in = 5000;
  CHECK_THROWS_AS(walked(entry_of("causal", "livebook"), wide), LessonError);
}
