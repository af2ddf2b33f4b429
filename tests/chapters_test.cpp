// Which seeds and weights the articles' programs take, beyond what the golden files show.

#include "chapters/chapter.hpp"

#include "made.hpp"

namespace {

using namespace attn;
using test::find;
using test::values_of;

Walkthrough book(const std::string& chapter, std::optional<torch::Seed> seed = {}) {
  Lesson lesson;
  lesson.seed = seed;
  return test::walked(test::chapter_of(chapter, "book"), lesson);
}

/// The first weight of nn.Linear(3, 2) after seeding.
std::vector<float> linear_after(torch::Seed seed) {
  torch::Torch torch({}, {}, torch::Torch::Mode::compute);
  torch.manual_seed(seed);
  return values_of(torch.linear(3, 2, false, "W").weight);
}

}  // namespace

TEST_CASE("the book seeds its second module with 789, unless the lesson sets a seed") {
  for (const auto& place :
       {std::pair("trainable", "self_attention_v2"), {"causal", "renormalised"}, {"dropout", "causal"}}) {
    const std::string chapter = place.first;
    const std::string section = place.second;
    CAPTURE(chapter);
    CHECK(values_of(*find(book(chapter), "W_query", section)) == linear_after(789));
    CHECK(values_of(*find(book(chapter, 123), "W_query", section)) == linear_after(123));
    CHECK(values_of(*find(book(chapter, 7), "W_query", section)) == linear_after(7));
  }
}
