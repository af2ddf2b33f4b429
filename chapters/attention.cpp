#include "attention.hpp"

#include "rules.hpp"

namespace attn::chapters {

Tensor attention_weights(const Lesson& lesson, Walkthrough& walk, const Tensor& queries,
                         const Tensor& keys) {
  const Tensor keys_transposed = t(keys);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores = matmul(queries, keys_transposed);
  walk.show("attn_scores", "attention scores\n", attn_scores);
  const Tensor scaled_attn_scores = scaled(lesson, walk, attn_scores, keys);
  const Tensor attn_weights = softmax(lesson, scaled_attn_scores);
  walk.show("attn_weights", "attention weights\n", attn_weights);
  return attn_weights;
}

Tensor self_attention(const Lesson& lesson, Walkthrough& walk, const Projections& W,
                      const Tensor& inputs, const std::string& label) {
  const Tensor queries = W.W_query(inputs);
  const Tensor keys = W.W_key(inputs);
  const Tensor values = W.W_value(inputs);
  walk.show("queries", "queries\n", queries);
  walk.show("keys", "keys\n", keys);
  walk.show("values", "values\n", values);
  const Tensor context_vecs = matmul(attention_weights(lesson, walk, queries, keys), values);
  walk.show("context_vecs", label, context_vecs);
  return context_vecs;
}

Tensor causal_both_ways(const Lesson& lesson, Walkthrough& walk, const Tensor& queries,
                        const Tensor& keys, const CausalLabels& labels) {
  walk.section("renormalised");
  const Tensor keys_transposed = t(keys);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores = matmul(queries, keys_transposed);
  walk.show("attn_scores", labels.attn_scores, attn_scores);
  walk.size("attn_scores", "", attn_scores);
  const Tensor scaled_attn_scores = scaled(lesson, walk, attn_scores, keys);
  const Tensor attn_weights = softmax(lesson, scaled_attn_scores);
  walk.show("attn_weights", labels.attn_weights, attn_weights);
  const std::int64_t num_tokens = attn_scores.size(0);
  const Tensor mask_simple = torch::lower_triangle(num_tokens);
  walk.show("mask_simple", labels.mask_simple, mask_simple);
  const Tensor masked_weights = masked_simple(lesson, walk, attn_weights, mask_simple, labels.masked_simple);
  const Tensor row_sums = sum(masked_weights, true);
  walk.show("row_sums", "row sums\n", row_sums);
  const Tensor masked_simple_norm = divide(masked_weights, row_sums);
  walk.show("masked_simple_norm", labels.masked_simple_norm, masked_simple_norm);

  walk.section("minus_inf");
  const Tensor mask = torch::causal_mask(num_tokens);
  walk.extra("mask", mask, "mask.bool()");
  const Tensor masked_attn_scores = masked(lesson, walk, attn_scores, mask, labels.masked_attn_scores);
  const Tensor scaled_masked = scaled(lesson, walk, masked_attn_scores, keys);
  const Tensor causal_weights = masked_softmax(lesson, walk, scaled_masked, mask);
  walk.show("attn_weights", labels.attn_weights, causal_weights);
  walk.show("both_agree", "both ways agree:", all_close(masked_simple_norm, causal_weights));
  return causal_weights;
}

}  // namespace attn::chapters
