// The sizes of --fixture: no rule that a port may get wrong is without effect on its numbers, and axes that may be
// mixed up differ.

#include "chapters/chapter.hpp"

#include "made.hpp"
#include "tensor/operations.hpp"
#include "verify/causes/mistakes.hpp"
#include "walk/what_if.hpp"

namespace {

using namespace attn;

Walkthrough walked(const chapters::Chapter& chapter) {
  Lesson lesson;
  lesson.fixture = true;
  return test::walked(chapter, lesson);
}

bool are_equal(const Tensor& a, const Tensor& b) {
  const auto is_equal = [](const auto& x, const auto& y) {
    using Block = std::decay_t<decltype(x)>;
    const auto* other = std::get_if<Block>(&y);
    return other != nullptr && std::equal(x.begin(), x.end(), other->begin(), other->end(),
                                          [](auto one, auto two) { return one == two || (one != one && two != two); });
  };
  const auto left = a.array().contents();
  const auto right = b.array().contents();
  return a.shape() == b.shape() && std::visit([&](const auto& x) { return is_equal(x, *right); }, *left);
}

enum class Seen { none, applies, shows };

/// Whether the rule has an operation in the steps, and any of their numbers changes. A rule that cannot be computed
/// shows.
Seen effect(const Walkthrough& walk, const Rewriter::Rule& rule) {
  Seen found = Seen::none;
  try {
    Rewriter rewriter(rule);
    for (const Step& step : walk.steps()) {
      const std::optional<Tensor> tensor = step.tensor ? std::optional(rewriter(*step.tensor)) : std::nullopt;
      if (tensor && tensor->id() != step.tensor->id()) {
        found = Seen::applies;
        if (!are_equal(*step.tensor, *tensor)) {
          return Seen::shows;
        }
      }
    }
  } catch (const std::exception&) {
    return Seen::shows;
  }
  return found;
}

/// The numbers whose roots divide scores: a mistake that divides by the right one is none.
std::set<std::int64_t> divided_by_root_of(const Walkthrough& walk) {
  std::set<std::int64_t> found;
  for (const Step& step : walk.steps()) {
    if (step.tensor) {
      found.insert(step.tensor->operation().facts().root_of);
    }
  }
  return found;
}

/// Returns true for a function that leaves positive numbers alone, where all scores are: inputs @ inputs.T.
bool is_idle_above_0(const std::string& mistake, const chapters::Chapter& chapter) {
  return !chapter.takes.projections && std::ranges::any_of(functions(), [&](const Function& function) {
    return function.is_identity_above_0 && mistake == std::string(function.name) + "-of-scores";
  });
}

}  // namespace

TEST_CASE("Every what-if and every mistake of a chapter changes the numbers of a fixture") {
  std::set<std::string> seen;
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    const Walkthrough walk = walked(chapter);
    const std::set<std::int64_t> right = divided_by_root_of(walk);
    CAPTURE(chapter.name);
    CAPTURE(chapter.article->name);
    for (const WhatIf* what_if : chapters::what_ifs(chapter)) {
      CAPTURE(what_if->name);
      if (what_if->name == "positions-after-projection") {
        continue;  // needs d_out = d_in, which a fixture keeps apart
      }
      CHECK(effect(walk, mistake_of(what_if->name, walk.steps()).rule) == Seen::shows);
    }
    for (const Mistake& mistake : all_mistakes_in(walk.steps())) {
      CAPTURE(mistake.name);
      const std::string root = "scaled-by-root-of-";
      const bool is_right =
          mistake.name.starts_with(root) && right.contains(std::stoll(mistake.name.substr(root.size())));
      const bool is_symmetric = mistake.name == "query-key-swapped" && !chapter.takes.projections;  // inputs @ inputs.T
      // Scores that are all 0 are the same capped, rounded or with another base of the exponential.
      static const std::set<std::string> of_scores = {"exp2", "weights-uniform", "soft-capped", "float16-scores",
                                                      "bfloat16-scores"};
      const bool are_zero =
          chapter.name == "average" && (of_scores.contains(mistake.name) || mistake.name.ends_with("-of-scores"));
      if (is_right || is_symmetric || are_zero || is_idle_above_0(mistake.name, chapter)) {
        continue;
      }
      const Seen found = effect(walk, mistake.rule);
      CHECK(found != Seen::applies);
      if (found == Seen::shows) {
        seen.insert(mistake.name);
      }
    }
  }
  CHECK(seen.size() > 25);
  for (const char* name :
       {"no-scaling", "weight-reshaped", "no-bias", "no-projection", "divided-by-p", "keep-and-drop-swapped",
        "heads-interleaved", "heads-reversed", "softmax-dim-2", "query-key-swapped"}) {
    CHECK_MESSAGE(seen.contains(name), name);
  }
}

TEST_CASE("The axes of a fixture's tensors differ, except two axes of tokens") {
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    CAPTURE(chapter.name);
    CAPTURE(chapter.article->name);
    for (const Step& step : walked(chapter).steps()) {
      const bool is_example = step.section == "batched_matmul";
      if (!step.tensor || is_example) {
        continue;
      }
      CAPTURE(step.name);
      CAPTURE(shape_text(step.tensor->shape()));
      Shape rest = step.tensor->shape();
      std::erase(rest, 5);
      std::erase(rest, 1);
      if (takes_size(chapter.takes, "new-tokens")) {
        std::erase(rest, 5 - 2);  // the prompt's
      }
      const std::set<std::int64_t> sizes(rest.begin(), rest.end());
      const bool is_out_proj = step.name.starts_with("out_proj");
      CHECK((is_out_proj || sizes.size() == rest.size()));
    }
  }
}

TEST_CASE("A fixture sets the sizes that the chapter takes and the lesson leaves open") {
  for (const chapters::Chapter& chapter : chapters::all_chapters()) {
    Lesson lesson;
    lesson.fixture = true;
    Lesson whole = chapters::settled(chapter, lesson);
    CHECK(whole.tokens == 5);
    CHECK(whole.d_in == 7);
    CHECK(whole.batch == (chapter.takes.batch ? std::optional<std::int64_t>(2) : std::nullopt));
    CHECK(whole.num_heads == (chapter.takes.heads ? std::optional(chapter.takes.fixture_heads) : std::nullopt));
    CHECK(whole.dropout == (chapter.takes.dropout ? std::optional(0.25) : std::nullopt));
    CHECK(whole.qkv_bias == chapter.takes.projections);
    lesson.tokens = 7;
    lesson.batch = 4;
    lesson.num_heads = 3;
    lesson.init = Init::rand;
    lesson.dropout = 0.5;
    whole = chapters::settled(chapter, lesson);
    CHECK(whole.tokens == 7);
    CHECK(whole.batch == 4);
    CHECK(whole.init == Init::rand);
    CHECK_FALSE(whole.qkv_bias);
    CHECK(whole.dropout == 0.5);
    CHECK(whole.d_out_v.value_or(12) == (chapter.takes.shared_d_out || !chapter.takes.projections ? 12 : 4));
    lesson.fixture = false;
    CHECK_FALSE(chapters::settled(chapter, lesson).d_in.has_value());
  }
}
