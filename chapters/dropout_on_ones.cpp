#include "dropout_on_ones.hpp"

#include "inputs.hpp"
#include "rules.hpp"

namespace attn::chapters {

void dropout_on_ones(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk, double p) {
  walk.section("ones");
  torch.manual_seed(lesson.seed);
  const std::int64_t num_tokens = token_count(lesson);
  const Tensor example = torch::ones({num_tokens, num_tokens});
  walk.extra("example", example, "example");
  const auto [dropout_mask, output] = dropout(lesson, torch, example, p);
  walk.show("dropout_mask", "keep mask\n", dropout_mask);
  walk.show("scale", "scale:", dropout_scale(lesson, p));
  walk.show("output", "output\n", output);
}

}  // namespace attn::chapters
