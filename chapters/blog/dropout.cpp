#include "blog/causal_attention.hpp"
#include "chapter.hpp"

namespace attn::chapters::blog {
namespace {

void on_ones(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("ones");
  const double p = lesson.dropout.value_or(0.5);
  torch.manual_seed(lesson.seed);
  const std::int64_t num_tokens = lesson.tokens.value_or(6);
  const Tensor example = torch::ones({num_tokens, num_tokens});
  walk.extra("example", example, "example");
  const auto [dropout_mask, output] = torch.dropout(example, p);
  walk.show("dropout_mask", "keep mask\n", dropout_mask);
  walk.show("scale", "scale:", torch::dropout_scale(p));
  walk.show("output", "output\n", output);
}

void on_causal_weights(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("causal");
  const double p = lesson.dropout.value_or(0.2);
  const auto [dropout_attn_weights, values] =
      causal_attention(lesson, torch, walk, p, Prints::weights_and_dropout);
  walk.show("row_sums", "row sums\n", sum(dropout_attn_weights));
  walk.show("context_vecs", "context vectors\n", matmul(dropout_attn_weights, values));
}

}  // namespace

void dropout(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  on_ones(lesson, torch, walk);
  on_causal_weights(lesson, torch, walk);
}

}  // namespace attn::chapters::blog
