#include "chapters/livebook/livebook.hpp"

namespace attn::chapters::livebook {

void simplified(Program& p) {
  p.section("by_loop");
  const Tensor inputs = p.inputs();
  const Tensor x_2 = p.let("x_2", index(inputs, p.query(inputs)));
  p.show("attn_scores_2", "attention scores of the query\n", matvec(inputs, x_2));
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matvecs(inputs, inputs));

  p.section("by_matmul");
  p.show("attn_scores", "attention scores\n", matmul(inputs, t(inputs)));

  p.section("divided_by_sum");
  const Tensor attn_sums = p.show("attn_sums", "row sums of the scores\n", sum(attn_scores, true));
  const Tensor divided = p.show("attn_weights", "attention weights\n", divide(attn_scores, attn_sums));
  p.show("row_sums", "row sums\n", sum(divided));

  p.section("naive_softmax");
  const Tensor exp_scores = p.show("exp_attn_scores", "exponentials\n", exp(attn_scores));
  const Tensor exp_sums = p.show("exp_sums", "row sums of the exponentials\n", sum(exp_scores, true));
  const Tensor naive = p.show("attn_weights", "attention weights\n", divide(exp_scores, exp_sums));

  p.section("softmax");
  p.show("attn_weights", "attention weights\n", softmax(attn_scores));

  p.section("all_tokens");
  p.show("context_vecs", "context vectors\n", matmul(naive, inputs));
}

}  // namespace attn::chapters::livebook
