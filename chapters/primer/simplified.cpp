#include "chapter.hpp"
#include "inputs.hpp"
#include "rules.hpp"

namespace attn::chapters::primer {

void simplified(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("one_query");
  const Tensor inputs = shown_inputs(lesson, torch, walk);
  const Tensor query_2 = index(inputs, query_index(lesson, inputs));
  walk.extra("query_2", query_2);
  const Tensor attn_scores_2 = dots(inputs, query_2);
  walk.show("attn_scores_2", "", attn_scores_2);
  const Tensor attn_weights_2 = softmax(lesson, attn_scores_2);
  walk.show("attn_weights_2", "attention weights\n", attn_weights_2);
  walk.show("context_vec_2", "", weighted_sum(attn_weights_2, inputs));

  walk.section("all_tokens");
  const Tensor keys_transposed = t(inputs);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores = matmul(inputs, keys_transposed);
  walk.show("attn_scores", "Attention Scores:\n", attn_scores);
  const Tensor attn_weights = softmax(lesson, attn_scores);
  walk.show("attn_weights", "Attention Weights:\n", attn_weights);
  walk.show("context_vecs", "", matmul(attn_weights, inputs));
}

}  // namespace attn::chapters::primer
