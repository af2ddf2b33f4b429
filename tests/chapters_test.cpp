// Chapters with one line changed, both walkthroughs side by side, own sentences, and what fits into memory.

#include "walk/what_if.hpp"

#include <sys/resource.h>

#include "chapters/inputs.hpp"
#include "lesson/printed.hpp"
#include "made.hpp"
#include "walk/walkthrough.hpp"

using namespace attn;
using test::chapter_of;
using test::find;
using test::walked;

namespace {

Tensor planned(const Shape& shape) { return leaf(shape, DType::float32, "x", {}); }

std::string message_of(const Walkthrough& walk, std::int64_t available) {
  try {
    check_fits(walk.steps(), {}, available);
  } catch (const TooLarge& error) {
    return error.what();
  }
  return "";
}

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

/// Takes so many bytes and gives them back; the volatile pointer keeps a compiler from leaving both out.
void take(std::size_t bytes) {
  char* volatile taken = new char[bytes];
  delete[] taken;
}

}  // namespace

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

TEST_CASE("the original and the changed step stand one below the other") {
  const std::vector<std::vector<float>> rows = {{1, 2}, {-3, 4}};
  const std::vector<std::vector<float>> other_rows = {{1, 2.5F}, {-3, 4}};
  Walkthrough before;
  Walkthrough after;
  before.show("inputs", "inputs\n", torch::ones({2}));
  after.show("inputs", "inputs\n", torch::ones({2}));
  before.show("gone", "gone:", torch::ones({}));
  before.show("x", "x:\n", torch::tensor(rows));
  after.show("x", "x:\n", torch::tensor(other_rows));
  std::ostringstream out;
  render::write_compared(out, before.steps(), after.steps(), "It changed.", {});
  CHECK(out.str() ==
        "# It changed.\n# inputs: same as before\n"
        "# original\ngone: tensor(1.)\n# changed\n# no gone here\n"
        "# original\nx:\n tensor([[ 1.,  2.],\n        [-3.,  4.]])\n"
        "# changed\nx:\n tensor([[  1.0000,  *2.5000],\n        [ -3.0000,   4.0000]])\n");
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
    CHECK(chapters::token_words(*entry.article, lesson) == std::vector<std::string>{"the", "cat", "saw", "the", "dog"});
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

TEST_CASE("steps that do not fit are refused with both sizes") {
  Walkthrough walk;
  const Tensor x = planned({256, 1024, 1024});
  walk.show("x", "", x);
  walk.show("y", "", divide(x, 2, "2"));
  // Both tensors, and two copies of one.
  CHECK(message_of(walk, 4 * gibibyte) == "");
  CHECK(message_of(walk, 4 * gibibyte - 1) == "the tensors need 4.0 GiB of memory, but only 4.0 GiB is available");
  Walkthrough unshown;
  unshown.show("y", "", sum(x));
  CHECK(message_of(unshown, gibibyte) != "");
  Walkthrough two;
  two.show("x", "", planned({128, 1024, 1024}));
  two.show("y", "", planned({128, 1024, 1024}));
  CHECK(message_of(two, 2 * gibibyte) == "");
  CHECK(message_of(two, 2 * gibibyte - 1) != "");
  Walkthrough huge;  // a total beyond 63 bits
  for (const char* name : {"x", "y", "z"}) {
    huge.show(name, "", planned({std::int64_t{1} << 29, std::int64_t{1} << 31}));
  }
  CHECK(test::has(message_of(huge, std::numeric_limits<std::int64_t>::max()), "need "));
}

TEST_CASE("allocation beyond the cap throws" * doctest::skip(ATTN_SANITIZERS || ATTN_EMULATED)) {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_DATA, &before) == 0);
  constexpr std::size_t half = std::size_t{1} << 29;
  cap_memory(gibibyte, 0);
  CHECK_THROWS_AS(take(3 * half), std::bad_alloc);
  CHECK_NOTHROW(take(half));
  cap_memory(gibibyte, gibibyte);
  CHECK_NOTHROW(take(3 * half));
  REQUIRE(setrlimit(RLIMIT_DATA, &before) == 0);
}
