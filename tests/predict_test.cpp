#include "present/predict.hpp"

#include "tensor/operations.hpp"
#include "unit.hpp"

namespace {

using namespace attn;
using present::Mark;

Tensor numbers(const Shape& shape, const std::string& name, float before = 0) {
  const Tensor tensor = leaf(shape, DType::float32, "torch.tensor(...)", [shape, before] {
    Block<float> values(shape);
    float value = before;
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
  walk.show("b", "product\n", matmul(a, numbers({2, 3}, "w", 3)));
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

TEST_CASE("an answer is right if it prints the same, and close if it is one unit off") {
  CHECK(present::mark("0.1587", "0.1587") == Mark::right);
  CHECK(present::mark(" .15868 ", "0.1587") == Mark::right);
  CHECK(present::mark("+0.1587", "0.1587") == Mark::right);
  CHECK(present::mark("0.16", "0.1600") == Mark::right);
  CHECK(present::mark("0.16", "0.1587") == Mark::coarse);
  CHECK(present::mark("0.159", "0.1587") == Mark::coarse);
  CHECK(present::mark("0.15", "0.1587") == Mark::wrong);
  CHECK(present::mark("0", "0.1587") == Mark::wrong);
  CHECK(present::mark("1", "0.9921") == Mark::wrong);
  CHECK(present::mark("?", "0.1587") == Mark::hint);
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

TEST_CASE("a question gives operands that are not shown, a hint those that are") {
  Walkthrough walk;
  const Tensor a = numbers({2}, "a");
  const Tensor w = numbers({2, 3}, "w");
  walk.show("a", "", a);
  walk.show("hidden", "", matmul(a, w));
  walk.show("plain", "", softmax(a));
  std::vector<Step> steps = walk.steps();
  std::erase_if(steps, [&w](const Step& step) { return step.tensor->id() == w.id(); });
  std::istringstream in("?\n?\n0.6\n?\n?\n?\n\n");
  std::ostringstream out;
  present::Prediction prediction;
  const present::Score score = present::predict(in, out, steps, prediction);
  CAPTURE(out.str());
  // a @ w = [0.25 * 0.25 + 0.5 * 1, ...]: the operands stand before the question, the products are the first hint.
  CHECK(has(out.str(), ")\n  hidden = a @ w\n  a[0] = 0.250000, w[0, "));
  CHECK(has(out.str(), "] = ?\n  add:\n  0.250000 * "));
  CHECK(has(out.str(), "] = ?\nno more hints\n"));
  CHECK(has(out.str(), "] = ?\n  plain = torch.softmax(a, dim=-1)\n  a[0] = 0.250000\n  a[1] = 0.500000\nplain["));
  CHECK(has(out.str(), " divided by the sum of:\n  exp(0.250000 - 0.500000) = 0.778801\n"));
  CHECK(score.hints == 5);
  CHECK(has(out.str(), ", with 5 hints\n"));
}

TEST_CASE("no answer is visible elsewhere: equal numbers are hidden together") {
  Walkthrough walk;
  const Tensor a = numbers({2, 2}, "a");
  const Tensor twice = stack(a, 2);
  walk.show("a", "", a);
  walk.show("batch", "", twice);
  const Tensor products = matmul(twice, numbers({2, 1}, "w"));
  walk.show("products", "", products);
  walk.show("again", "", cat({products, products}));
  std::istringstream in("\n\n");
  std::ostringstream out;
  const present::Score score = present::predict(in, out, walk.steps(), {});
  CAPTURE(out.str());
  CHECK(score.asked() == 1);
  CHECK((has(out.str(), "tensor([[[     ?],\n         [0.6875]],\n\n        [[     ?],\n         [0.6875]]])") ||
         has(out.str(), "tensor([[[0.3125],\n         [     ?]],\n\n        [[0.3125],\n         [     ?]]])")));
}

TEST_CASE("the seed determines the hidden cells") {
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

TEST_CASE("echoed answers contain no control characters") { CHECK(!has(talk("\x1b[31mfoo\n").text, "\x1b")); }
