#include "blog/causal_attention.hpp"
#include "chapter.hpp"
#include "dropout_on_ones.hpp"

namespace attn::chapters::blog {
namespace {

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
  dropout_on_ones(lesson, torch, walk, lesson.dropout.value_or(0.5));
  on_causal_weights(lesson, torch, walk);
}

}  // namespace attn::chapters::blog
