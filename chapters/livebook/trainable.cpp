#include <algorithm>

#include "attention.hpp"
#include "chapter.hpp"
#include "inputs.hpp"
#include "livebook/weights.hpp"
#include "rules.hpp"

namespace attn::chapters::livebook {

void trainable(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("one_query");
  const Tensor inputs = shown_inputs(lesson, torch, walk);
  const std::int64_t i_query = query_index(lesson, inputs);
  const Tensor x_2 = index(inputs, i_query);
  walk.show("x_2", "x_2\n", x_2);
  const auto W = page_projections(lesson, torch, inputs.size(-1));
  W.W_query.show(walk, "w_q");
  W.W_key.show(walk, "w_k");
  W.W_value.show(walk, "w_v");
  walk.show("query_2", "query_2\n", W.W_query(x_2));
  walk.show("key_2", "key_2\n", W.W_key(x_2));
  walk.show("value_2", "value_2\n", W.W_value(x_2));
  const Tensor queries = W.W_query(inputs);
  const Tensor keys = W.W_key(inputs);
  const Tensor values = W.W_value(inputs);
  walk.show("queries", "queries\n", queries);
  walk.show("keys", "keys\n", keys);
  walk.show("values", "values\n", values);
  const std::int64_t second = std::min<std::int64_t>(1, inputs.size(0) - 1);
  walk.show("attn_score_22", "attn_score_22", dot(index(keys, second), index(queries, i_query)));
  const Tensor keys_transposed = t(keys);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores_2 = matmul(index(queries, i_query), keys_transposed);
  walk.show("attn_scores_2", "attn_score_2\n", attn_scores_2);
  const Tensor scaled_attn_scores_2 = scaled(lesson, walk, attn_scores_2, keys, "scaled_attn_scores_2");
  const Tensor attn_weights_2 = softmax(lesson, scaled_attn_scores_2);
  walk.show("attn_weights_2", "attn_weights_2\n", attn_weights_2);
  walk.show("context_vec_2", "context_vec_2\n", matmul(attn_weights_2, values));

  walk.section("self_attention");
  const Tensor context_vecs = self_attention(lesson, walk, W, inputs, "context_vector\n");
  walk.show("context_vec_2", "context_vector[" + std::to_string(i_query) + "]\n", index(context_vecs, i_query));
}

}  // namespace attn::chapters::livebook
