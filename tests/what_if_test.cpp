// Programs with one line changed, what is said of the change, both walkthroughs side by side, and own sentences.

#include "walk/what_if.hpp"

#include "chapters/inputs.hpp"
#include "chapters/sentence.hpp"
#include "lesson/compared.hpp"
#include "made.hpp"
#include "tensor/what_if.hpp"
#include "verify/causes/mistakes.hpp"

namespace {

using namespace attn;
using test::chapter_of;
using test::find;
using test::walked;

const WhatIf& what_if(const std::string& name) {
  const auto all = all_what_ifs();
  return *std::find_if(all.begin(), all.end(), [&name](const WhatIf& one) { return one.name == name; });
}

Walkthrough blog_causal(const std::string& name) {
  return changed(walked(chapter_of("causal", "blog"), {}), what_if(name));
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
  CHECK(find(walked(chapter_of("causal", "livebook"), wide), "inputs")->shape() == Shape{2, 5});
  wide.d_in = 5000;
  CHECK_THROWS_AS(walked(chapter_of("causal", "livebook"), wide), LessonError);
}
