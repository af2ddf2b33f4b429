#include "chapters/blog/blog.hpp"

namespace attn::chapters::blog {

void simplified(Program& p) {
  p.section("one_query");
  const Tensor inputs = p.inputs();
  const Tensor query_2 = p.let("query_2", index(inputs, p.query(inputs)));
  const Tensor attn_scores_2 = p.show("attn_scores_2", "", dots(inputs, query_2));
  const Tensor attn_weights_2 = p.show("attn_weights_2", "Attention weights:", softmax(attn_scores_2));
  p.show("attn_weights_sum_2", "Sum:", sum(attn_weights_2));
  p.show("context_vec_2", "", weighted_sum(attn_weights_2, inputs));

  p.section("all_tokens");
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(inputs, t(inputs)));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(attn_scores));
  p.show("context_vecs", "context vectors\n", matmul(attn_weights, inputs));
}

}  // namespace attn::chapters::blog
