#include "blog/causal_attention.hpp"
#include "chapter.hpp"

namespace attn::chapters::blog {

void causal(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  const double p = lesson.dropout.value_or(0.2);
  const auto [dropout_attn_weights, values] = causal_attention(lesson, torch, walk, p, Prints::everything);
  const Tensor context_vecs = matmul(dropout_attn_weights, values);
  walk.show("context_vecs", "context vectors\n", context_vecs);
  walk.size("context_vecs", "context_vecs.shape:", context_vecs);
}

}  // namespace attn::chapters::blog
