#include "chapters/book/book.hpp"

namespace attn::chapters::book {

void simplified(Program& p) {
  p.section("one_query");
  const Tensor inputs = p.inputs();
  const Tensor query = p.let("query", index(inputs, p.query(inputs)));
  const Tensor attn_scores_2 = p.show("attn_scores_2", "", dots(inputs, query));

  p.section("dot_product");
  p.show("res", "", dot_by_loop(index(inputs, 0), query));
  p.show("dot_product", "", dot(index(inputs, 0), query));

  p.section("divided_by_sum");
  const Tensor attn_scores_sum_2 = p.let("attn_scores_sum_2", sum(attn_scores_2));
  const Tensor attn_weights_2_tmp =
      p.show("attn_weights_2_tmp", "Attention weights:", divide(attn_scores_2, attn_scores_sum_2));
  p.show("attn_weights_sum_2", "Sum:", sum(attn_weights_2_tmp));

  p.section("naive_softmax");
  const Tensor exp_attn_scores_2 = p.let("exp_attn_scores_2", exp(attn_scores_2));
  const Tensor exp_sum_2 = p.let("exp_sum_2", sum(exp_attn_scores_2));
  const Tensor attn_weights_2_naive =
      p.show("attn_weights_2_naive", "Attention weights:", divide(exp_attn_scores_2, exp_sum_2));
  p.show("attn_weights_sum_2", "Sum:", sum(attn_weights_2_naive));

  p.section("softmax");
  const Tensor attn_weights_2 = p.show("attn_weights_2", "Attention weights:", softmax(attn_scores_2));
  p.show("attn_weights_sum_2", "Sum:", sum(attn_weights_2));

  p.section("weighted_sum");
  const Tensor context_vec_2 = p.show("context_vec_2", "", weighted_sum(attn_weights_2, inputs));

  p.section("by_loop");
  p.show("attn_scores", "", pairwise_dots(inputs, inputs));
  p.section("by_matmul");
  const Tensor attn_scores = p.show("attn_scores", "", matmul(inputs, t(inputs)));

  p.section("all_tokens");
  const Tensor attn_weights = p.show("attn_weights", "", softmax(attn_scores));
  p.show("row_sums", "All row sums:", sum(attn_weights));
  p.show("all_context_vecs", "", matmul(attn_weights, inputs));
  p.show("context_vec_2", "Previous 2nd context vector:", context_vec_2);
}

}  // namespace attn::chapters::book
