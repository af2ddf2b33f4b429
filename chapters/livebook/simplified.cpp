#include "chapter.hpp"
#include "inputs.hpp"
#include "rules.hpp"

namespace attn::chapters::livebook {

void simplified(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("by_loop");
  const Tensor inputs = shown_inputs(lesson, torch, walk);
  const Tensor x_2 = index(inputs, query_index(lesson, inputs));
  walk.extra("x_2", x_2);
  walk.show("attn_scores_2", "attention scores of the query\n", matvec(inputs, x_2));
  const Tensor attn_scores = matvecs(inputs, inputs);
  walk.show("attn_scores", "attention scores\n", attn_scores);

  walk.section("by_matmul");
  const Tensor keys_transposed = t(inputs);
  walk.extra("keys_transposed", keys_transposed);
  walk.show("attn_scores", "attention scores\n", matmul(inputs, keys_transposed));

  walk.section("divided_by_sum");
  const Tensor attn_sums = sum(attn_scores, true);
  walk.show("attn_sums", "row sums of the scores\n", attn_sums);
  const Tensor divided = divide(attn_scores, attn_sums);
  walk.show("attn_weights", "attention weights\n", divided);
  walk.show("row_sums", "row sums\n", sum(divided));

  walk.section("naive_softmax");
  const Tensor exp_scores = exp(attn_scores);
  walk.show("exp_attn_scores", "exponentials\n", exp_scores);
  const Tensor exp_sums = sum(exp_scores, true);
  walk.show("exp_sums", "row sums of the exponentials\n", exp_sums);
  const Tensor naive = divide(exp_scores, exp_sums);
  walk.show("attn_weights", "attention weights\n", naive);

  walk.section("softmax");
  walk.show("attn_weights", "attention weights\n", softmax(lesson, attn_scores));

  walk.section("all_tokens");
  walk.show("context_vecs", "context vectors\n", matmul(naive, inputs));
}

}  // namespace attn::chapters::livebook
