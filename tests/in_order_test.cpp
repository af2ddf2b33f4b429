#include "verify/judge/in_order.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "settled.hpp"
#include "verify/judge/operands.hpp"
#include "walk/walkthrough.hpp"

namespace {

using namespace attn;

std::vector<Step> tensors_of(const std::string& chapter) {
  const auto& all = chapters::all_chapters();
  const auto found = std::ranges::find_if(all, [&](const chapters::Chapter& one) { return one.name == chapter; });
  const Lesson lesson;
  torch::Torch torch(lesson.kernels, lesson.dropout_kernel, torch::Torch::Mode::compute);
  std::vector<Step> steps = chapters::walk(*found, lesson, torch).steps();
  std::erase_if(steps, [](const Step& step) { return step.kind != Step::Kind::tensor; });
  return steps;
}

std::vector<dump::Dumped> dump_of(const std::vector<Step>& steps) {
  std::vector<dump::Dumped> dump;
  for (const Step& step : steps) {
    dump.push_back({full_name(step), step.tensor->shape(), "float32", port::values_of(*step.tensor)});
  }
  return dump;
}

std::optional<port::Judgement> judged(const std::vector<dump::Dumped>& dump, const std::vector<Step>& steps) {
  const auto read = [&](const std::string& name) { return *std::ranges::find(dump, name, &dump::Dumped::name); };
  return port::judge_in_order(dump, read, steps, {});
}

}  // namespace

TEST_CASE("what is right by its own names is judged a tensor at a time as it is at once") {
  for (const std::string chapter : {"trainable", "causal", "multihead"}) {
    CAPTURE(chapter);
    const std::vector<Step> steps = tensors_of(chapter);
    std::vector<dump::Dumped> dump = dump_of(steps);
    std::ranges::reverse(dump);
    for (dump::Dumped& tensor : dump) {
      double& last = tensor.values.back();
      last = last == 0 || last == 1 ? last : last * (1 + 3e-7);
    }
    const std::optional<port::Judgement> one_by_one = judged(dump, steps);
    const port::Judgement at_once = port::judge(dump, steps, {}, {}, {});
    REQUIRE(one_by_one);
    CHECK(at_once.unmatched.empty());
    REQUIRE(one_by_one->tensors.size() == at_once.tensors.size());
    for (std::size_t i = 0; i < at_once.tensors.size(); ++i) {
      const port::Judged& one = one_by_one->tensors[i];
      const port::Judged& other = at_once.tensors[i];
      CAPTURE(other.matched.step->name);
      CHECK(one.verdict == other.verdict);
      CHECK(one.matched.given == other.matched.given);
      CHECK(full_name(*one.matched.step) == full_name(*other.matched.step));
      CHECK(one.matched.by == other.matched.by);
      CHECK(one.matched.laid->words == other.matched.laid->words);
      CHECK(one.comparison.cells == other.comparison.cells);
      CHECK(one.comparison.greatest_absolute == other.comparison.greatest_absolute);
      CHECK(one.comparison.absolute_at == other.comparison.absolute_at);
      CHECK(one.comparison.greatest_relative == other.comparison.greatest_relative);
      CHECK(one.comparison.relative_at == other.comparison.relative_at);
      CHECK(one.comparison.greatest_ulps == other.comparison.greatest_ulps);
      CHECK(one.comparison.passing_atol == other.comparison.passing_atol);
      CHECK(one.comparison.passing_rtol == other.comparison.passing_rtol);
    }
  }
}

TEST_CASE("what is not right by its own names is not judged a tensor at a time") {
  const std::vector<Step> steps = tensors_of("causal");
  const std::vector<dump::Dumped> right = dump_of(steps);
  CHECK(judged(right, steps).has_value());
  std::vector<dump::Dumped> wrong = right;
  wrong.back().values.back() += 0.01;
  CHECK_FALSE(judged(wrong, steps).has_value());
  std::vector<dump::Dumped> named = right;
  named[0].name = "k";
  CHECK_FALSE(judged(named, steps).has_value());
  std::vector<dump::Dumped> shaped = right;
  shaped[0].shape.insert(shaped[0].shape.begin(), 1);
  CHECK_FALSE(judged(shaped, steps).has_value());
  CHECK_FALSE(judged({}, steps).has_value());
}
