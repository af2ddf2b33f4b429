// Which seeds and weights the articles' programs take, beyond what the golden files show.

#include "chapter.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tensor/operations.hpp"

namespace {

using namespace attn;

Walkthrough book(const std::string& chapter, std::optional<torch::Seed> seed = {}) {
  const auto& all = chapters::all_chapters();
  const chapters::Chapter& entry = *std::find_if(all.begin(), all.end(), [&](const chapters::Chapter& one) {
    return one.name == chapter && one.article->name == "book";
  });
  Lesson lesson;
  lesson.seed = seed;
  torch::Torch torch({}, {}, torch::Torch::Mode::compute);
  return chapters::walk(entry, lesson, torch);
}

const Tensor& find(const Walkthrough& walk, const std::string& section, const std::string& name) {
  const auto& steps = walk.steps();
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
    return step.kind == Step::Kind::tensor && step.section == section && step.name == name;
  });
  REQUIRE(found != steps.end());
  return *found->tensor;
}

std::vector<float> numbers_of(const Tensor& tensor) {
  const auto contents = tensor.array().contents();
  const auto& values = std::get<Block<float>>(*contents);
  return {values.begin(), values.end()};
}

std::vector<bool> bools_of(const Tensor& tensor) {
  const auto contents = tensor.array().contents();
  const auto& values = std::get<Block<bool>>(*contents);
  return std::vector<bool>(values.begin(), values.end());
}

/// The first weight of nn.Linear(3, 2) after seeding.
std::vector<float> linear_after(torch::Seed seed) {
  torch::Torch torch({}, {}, torch::Torch::Mode::compute);
  torch.manual_seed(seed);
  return numbers_of(torch.linear(3, 2, false, "W").weight);
}

}  // namespace

TEST_CASE("the book seeds its second module with 789, unless the lesson sets a seed") {
  for (const auto& place :
       {std::pair("trainable", "self_attention_v2"), {"causal", "renormalised"}, {"dropout", "causal"}}) {
    const std::string chapter = place.first;
    const std::string section = place.second;
    CAPTURE(chapter);
    CHECK(numbers_of(find(book(chapter), section, "W_query")) == linear_after(789));
    CHECK(numbers_of(find(book(chapter, 123), section, "W_query")) == linear_after(123));
    CHECK(numbers_of(find(book(chapter, 7), section, "W_query")) == linear_after(7));
  }
  for (const torch::Seed seed : {default_seed, torch::Seed(7)}) {
    CHECK(numbers_of(find(book("causal", seed), "causal_attention", "W_query")) == linear_after(seed));
    const Walkthrough dropout = book("dropout", seed);
    CHECK(bools_of(find(dropout, "ones", "dropout_mask")) == bools_of(find(dropout, "causal", "dropout_mask")));
  }
}

TEST_CASE("the book's weights by hand require no gradient, but those of its modules do") {
  const Walkthrough trainable = book("trainable");
  CHECK_FALSE(find(trainable, "one_query", "query_2").requires_grad());
  CHECK(find(trainable, "self_attention_v1", "queries").requires_grad());
  CHECK(numbers_of(find(trainable, "one_query", "W_query")) ==
        numbers_of(find(trainable, "self_attention_v1", "W_query")));
}
