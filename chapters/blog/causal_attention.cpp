#include "blog/causal_attention.hpp"

#include "inputs.hpp"
#include "projection.hpp"
#include "rules.hpp"

namespace attn::chapters::blog {

WeightsAndValues causal_attention(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk, double p,
                                  Prints prints) {
  const bool all = prints == Prints::everything;
  const Tensor inputs = shown_inputs(lesson, torch, walk);
  const Tensor batch = stack(inputs, lesson.batch.value_or(2));
  walk.extra("batch", batch);
  const std::int64_t num_tokens = inputs.size(0);
  const std::int64_t d_in = inputs.size(1);
  const auto W = make_projections(lesson, torch, d_in, {Init::linear, d_in, d_in});
  W.show_extra(walk);

  const Tensor keys = W.W_key(batch);
  const Tensor queries = W.W_query(batch);
  const Tensor values = W.W_value(batch);
  walk.add("keys", "keys\n", keys, all);
  walk.add("queries", "queries\n", queries, all);
  walk.add("values", "values\n", values, all);

  const Tensor keys_transposed = transpose(keys, 1, 2);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores = matmul(queries, keys_transposed);
  walk.add("attn_scores", "attention scores\n", attn_scores, all);

  const Tensor mask = torch::causal_mask(num_tokens);
  walk.extra("mask", mask, "mask.bool()");
  const Tensor masked_attn_scores = masked(lesson, walk, attn_scores, mask, "masked attention scores\n", all);
  const Tensor scaled_attn_scores = scaled(lesson, walk, masked_attn_scores, keys);
  const Tensor attn_weights = masked_softmax(lesson, walk, scaled_attn_scores, mask);
  walk.show("attn_weights", "attention weights\n", attn_weights);

  const auto [dropout_mask, dropout_attn_weights] = chapters::dropout(lesson, torch, attn_weights, p);
  walk.add("dropout_mask", "keep mask\n", dropout_mask, !all);
  walk.show("dropout_attn_weights", "dropout attention weights\n", dropout_attn_weights);
  return {dropout_attn_weights, values};
}

}  // namespace attn::chapters::blog
