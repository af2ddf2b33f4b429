#include "chapters/primer/primer.hpp"

namespace attn::chapters::primer {

void simplified(Program& p) {
  p.section("one_query");
  const Tensor inputs = p.inputs();
  const Tensor query_2 = p.let("query_2", index(inputs, p.query(inputs)));
  const Tensor attn_scores_2 = p.show("attn_scores_2", "", dots(inputs, query_2));
  const Tensor attn_weights_2 = p.show("attn_weights_2", "attention weights\n", softmax(attn_scores_2));
  p.show("context_vec_2", "", weighted_sum(attn_weights_2, inputs));

  p.section("all_tokens");
  const Tensor attn_scores = p.show("attn_scores", "Attention Scores:\n", matmul(inputs, t(inputs)));
  const Tensor attn_weights = p.show("attn_weights", "Attention Weights:\n", softmax(attn_scores));
  p.show("context_vecs", "", matmul(attn_weights, inputs));
}

}  // namespace attn::chapters::primer
