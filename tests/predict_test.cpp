#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "present/predict.hpp"
#include "tensor/operations.hpp"

namespace {

using namespace attn;
using present::Mark;

Tensor numbers(const Shape& shape, const std::string& name) {
  const Tensor tensor = leaf(shape, DType::float32, "torch.tensor(...)", [shape] {
    Block<float> values(shape);
    float value = 0;
    for (float& element : values) {
      element = value += 0.25F;
    }
    return Contents(values);
  });
  tensor.set_name(name);
  return tensor;
}

std::vector<Step> lesson() {
  Walkthrough walk;
  const Tensor a = numbers({2, 2}, "a");
  walk.show("a", "given\n", a);
  walk.show("b", "product\n", matmul(a, numbers({2, 3}, "w")));
  walk.size("b_shape", "b.shape:", a);
  return walk.steps();
}

struct Talk {
  std::string text;
  present::Score score;
};

Talk talk(const std::string& answers, present::Prediction prediction = {}) {
  std::istringstream in(answers);
  std::ostringstream out;
  const std::vector<Step> steps = lesson();
  const present::Score score = present::predict(in, out, steps, prediction);
  return {out.str(), score};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an answer is right where it is printed the same, and close one unit off") {
  CHECK(present::mark("0.1587", "0.1587") == Mark::right);
  CHECK(present::mark(" .15868 ", "0.1587") == Mark::right);
  CHECK(present::mark("+0.1587", "0.1587") == Mark::right);
  CHECK(present::mark("0.16", "0.1600") == Mark::right);
  CHECK(present::mark("0.16", "0.1587") == Mark::wrong);
  CHECK(present::mark("0.1588", "0.1587") == Mark::close);
  CHECK(present::mark("0.1586", "0.1587") == Mark::close);
  CHECK(present::mark("0.1589", "0.1587") == Mark::wrong);
  CHECK(present::mark("-0.1587", "0.1587") == Mark::wrong);
  CHECK(present::mark("0", "-0.0000") == Mark::right);
  CHECK(present::mark("3", "3.") == Mark::right);
  CHECK(present::mark("1.587e-1", "1.5870e-01") == Mark::right);
  CHECK(present::mark("0.15871", "1.5870e-01") == Mark::close);
  CHECK(present::mark("-inf", "-inf") == Mark::right);
  CHECK(present::mark("-1000", "-inf") == Mark::wrong);
  CHECK(present::mark("inf", "1.0000") == Mark::wrong);
  CHECK(present::mark("nan", "nan") == Mark::right);
  CHECK(present::mark("\r", "0.1587") == Mark::unknown);
  for (const char* nonsense : {"a lot", "0,1587", "1/3", "+-1", "0.1 0.2", "--1", "0x"}) {
    CHECK(present::mark(nonsense, "0.1587") == Mark::no_number);
  }
}

TEST_CASE("computed tensors alone are asked for, and blanks keep the columns") {
  present::Prediction prediction;
  prediction.cells = 100;
  const Talk all = talk("", prediction);
  CHECK(has(all.text, "given\n tensor([[0.2500, 0.5000],\n        [0.7500, 1.0000]])\n"));
  CHECK(has(all.text, "product\n tensor([[     ?,      ?,      ?],\n        [     ?,      ?,      ?]])\nb[0, 0] = \n"));
  CHECK(has(all.text, "no answers, no score\n"));
}

TEST_CASE("answers are marked, wrong ones derived, and the score comes last") {
  present::Prediction prediction;
  prediction.cells = 6;
  // a @ w = [[0.5625, 0.75, 0.9375], [1.1875, 1.625, 2.0625]]
  const Talk some = talk("0.5625\n0.7501\n7\nfoo\n\n", prediction);
  CHECK(has(some.text, "b[0, 0] = 0.5625\nright\n"));
  CHECK(has(some.text, "b[0, 1] = 0.7501\nclose: it is 0.7500\n"));
  CHECK(has(some.text, "b[0, 2] = 7\nno, it is 0.9375\n  b[0, 2] = 0.9375"));
  CHECK(has(some.text, "b[1, 0] = foo\nthat is no number; it is 1.1875\n"));
  CHECK(has(some.text, "b[1, 1] = \nit is 1.6250\n"));
  CHECK(some.text.ends_with("\nscore: 1 of 5 right, 1 close\n"));
  CHECK(some.score.right == 1);
  CHECK(some.score.close == 1);
  CHECK(some.score.wrong == 3);
}

TEST_CASE("somebody who types is asked again after nonsense") {
  present::Prediction prediction;
  prediction.interactive = true;
  const Talk talked = talk("foo\n\x1b[31mbar\n0.5\n", prediction);
  CHECK(has(talked.text, "please type a number such as 0.1587"));
  CHECK(!has(talked.text, "\x1b"));
  CHECK(talked.score.asked() == 1);
}

TEST_CASE("the seed decides which cells are asked for") {
  present::Prediction prediction;
  prediction.cells = 2;
  CHECK(talk("", prediction).text == talk("", prediction).text);
  bool differs = false;
  const std::string first = talk("", prediction).text;
  for (prediction.seed = 0; prediction.seed < 20; ++prediction.seed) {
    differs = differs || talk("", prediction).text != first;
  }
  CHECK(differs);
}

TEST_CASE("echoed answers hold no control characters") {
  CHECK(!has(talk("\x1b[31mfoo\n").text, "\x1b"));
}
