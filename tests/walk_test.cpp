// What a walkthrough records, what fits into memory, and how steps are written as text.

#include "walk/walkthrough.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "render/text.hpp"
#include "tensor/operations.hpp"
#include "torch/torch.hpp"
#include "walk/memory.hpp"

namespace {

using namespace attn;

Tensor planned(const Shape& shape, DType dtype = DType::float32) { return leaf(shape, dtype, "x", {}); }

std::string message_of(const std::vector<Step>& steps, std::int64_t available, const std::vector<Tensor>& drawn = {}) {
  try {
    check_fits(steps, drawn, available);
  } catch (const TooLarge& error) {
    return error.what();
  }
  return "";
}

std::string text_of(const Walkthrough& walk, const render::TextOptions& options = {}) {
  std::ostringstream out;
  render::write_text(out, walk.steps(), options);
  return out.str();
}

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

}  // namespace

TEST_CASE("steps keep their order, section, name, label and kind") {
  Walkthrough walk;
  const Tensor x = torch::ones({2, 2});
  walk.text("sentence", "sentence:", "Life is short");
  walk.section("one");
  walk.show("x", "x\n", x);
  walk.size("x", "shape:", x);
  walk.section("two");
  walk.show("y", "why\n", divide(x, 2, "2"), false);
  const auto& steps = walk.steps();
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].kind == Step::Kind::text);
  CHECK(steps[0].section == "");
  CHECK(steps[0].text == "Life is short");
  CHECK(steps[0].in_article);
  CHECK_FALSE(steps[0].tensor.has_value());
  CHECK(steps[1].kind == Step::Kind::tensor);
  CHECK(steps[1].section == "one");
  CHECK(steps[1].name == "x");
  CHECK(steps[1].label == "x\n");
  CHECK(steps[1].in_article);
  CHECK(steps[2].kind == Step::Kind::size);
  CHECK(steps[2].section == "one");
  CHECK(steps[2].in_article);
  CHECK(steps[3].section == "two");
  CHECK(steps[3].label == "why\n");
  CHECK_FALSE(steps[3].in_article);
}

TEST_CASE("a shown tensor takes the step's name, and its size does not name it") {
  Walkthrough walk;
  const Tensor x = torch::ones({2, 2});
  walk.size("other", "", x);
  CHECK(x.name() == "");
  walk.show("x", "", x);
  CHECK(x.name() == "x");
  CHECK(divide(x, 2, "2").expression() == "x / 2");
}

TEST_CASE("the label of an extra is its words, else its expression") {
  Walkthrough walk;
  const Tensor x = torch::ones({2, 2});
  walk.let("x", x, "inputs");
  walk.let("x_t", t(x));
  walk.let("W", parameter(torch::ones({1})), "W.weight");
  CHECK(walk.steps()[0].label == "inputs\n");
  CHECK(walk.steps()[1].label == "x.T\n");
  CHECK(walk.steps()[2].label == "W.weight");  // print(label, parameter): "Parameter containing:" on the label's line
  for (const Step& step : walk.steps()) {
    CHECK_FALSE(step.in_article);
  }
}

TEST_CASE("steps that fit into memory are accepted") {
  Walkthrough walk;
  walk.show("x", "", planned({256, 1024, 1024}));
  walk.size("x", "", walk.steps()[0].tensor.value());
  walk.text("t", "", "text");
  CHECK(message_of(walk.steps(), 3 * gibibyte) == "");
  CHECK(message_of({}, 0) == "");
}

TEST_CASE("steps that do not fit are refused with both sizes") {
  Walkthrough walk;
  const Tensor x = planned({256, 1024, 1024});
  walk.show("x", "", x);
  walk.show("y", "", divide(x, 2, "2"));
  // Both tensors, and two copies of one.
  CHECK(message_of(walk.steps(), 4 * gibibyte) == "");
  CHECK(message_of(walk.steps(), 4 * gibibyte - 1) ==
        "the tensors need 4.0 GiB of memory, but only 4.0 GiB is available");
  CHECK(message_of(walk.steps(), gibibyte / 2) == "the tensors need 4.0 GiB of memory, but only 0.5 GiB is available");
}

TEST_CASE("draws count once, shown or not") {
  const Tensor x = planned({256, 1024, 1024});
  CHECK(message_of({}, gibibyte, {x}) == "");
  CHECK(message_of({}, gibibyte - 1, {x}) != "");
  Walkthrough walk;
  walk.show("x", "", x);
  CHECK(message_of(walk.steps(), 3 * gibibyte, {x}) == "");
}

TEST_CASE("unshown operands count, and all steps are added") {
  Walkthrough walk;
  walk.show("y", "", sum(planned({256, 1024, 1024})));
  CHECK(message_of(walk.steps(), gibibyte) != "");
  Walkthrough two;
  two.show("x", "", planned({128, 1024, 1024}));
  two.show("y", "", planned({128, 1024, 1024}));
  CHECK(message_of(two.steps(), 2 * gibibyte) == "");
  CHECK(message_of(two.steps(), 2 * gibibyte - 1) != "");
}

TEST_CASE("a total beyond 63 bits does not wrap") {
  Walkthrough walk;
  const Shape shape = {std::int64_t{1} << 29, std::int64_t{1} << 31};
  walk.show("x", "", planned(shape));
  walk.show("y", "", planned(shape));
  walk.show("z", "", planned(shape));
  CHECK(message_of(walk.steps(), std::numeric_limits<std::int64_t>::max()).find("2^63") != std::string::npos);
}

TEST_CASE("memory sizes have a suitable unit") {
  CHECK(memory_text(300) == "300 bytes");
  CHECK(memory_text(gibibyte / 64) == "16.0 MiB");
  CHECK(memory_text(gibibyte * 3 / 2) == "1.5 GiB");
}

/// Takes so many bytes and gives them back; the volatile pointer keeps a compiler from leaving both out.
void take(std::size_t bytes) {
  char* volatile taken = new char[bytes];
  delete[] taken;
}

TEST_CASE("allocation beyond the cap throws" * doctest::skip(ATTN_SANITIZERS || ATTN_EMULATED)) {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_DATA, &before) == 0);
  constexpr std::size_t half = std::size_t{1} << 29;
  cap_memory(gibibyte, 0);
  CHECK(free_memory_words() == " (1.0 GiB were free)");
  CHECK_THROWS_AS(take(3 * half), std::bad_alloc);
  CHECK_NOTHROW(take(half));
  cap_memory(gibibyte, gibibyte);
  CHECK_NOTHROW(take(3 * half));
  REQUIRE(setrlimit(RLIMIT_DATA, &before) == 0);
}

TEST_CASE("available memory is plausible") {
  CHECK(available_memory() > 0);
  CHECK(available_memory() < std::int64_t{1} << 50);
}

TEST_CASE("steps are written like print calls") {
  Walkthrough walk;
  const Tensor x = torch::ones({2, 2});
  walk.show("x", "the label\n", x);
  walk.show("y", "", x);
  walk.size("x", "x.shape:", x);
  walk.text("t", "sentence:", "Life is short");
  walk.let("W", parameter(x), "W");
  CHECK(text_of(walk) ==
        "the label\n tensor([[1., 1.],\n        [1., 1.]])\n"
        "tensor([[1., 1.],\n        [1., 1.]])\n"
        "x.shape: torch.Size([2, 2])\n"
        "sentence: Life is short\n"
        "W Parameter containing:\ntensor([[1., 1.],\n        [1., 1.]], requires_grad=True)\n");
}

TEST_CASE("gradients are shown or left out") {
  Walkthrough walk;
  const Tensor weight = parameter(torch::ones({2}));
  walk.show("W", "", weight);
  walk.show("y", "", divide(weight, 2, "2"));
  CHECK(text_of(walk) ==
        "Parameter containing:\ntensor([1., 1.], requires_grad=True)\n"
        "tensor([0.5000, 0.5000], grad_fn=<DivBackward0>)\n");
  CHECK(text_of(walk, {.print = {}, .show_grad = false}) ==
        "Parameter containing:\ntensor([1., 1.])\ntensor([0.5000, 0.5000])\n");
}
