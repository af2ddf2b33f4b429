#include "attention.hpp"

namespace attn::chapters {

Tensor attention_weights(Program& p, const Tensor& queries, const Tensor& keys) {
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, t(keys)));
  return p.show("attn_weights", "attention weights\n", softmax(scale(attn_scores, keys)));
}

Tensor self_attention(Program& p, const Projections& W, const Tensor& inputs, const std::string& label) {
  const Tensor queries = W.W_query(inputs);
  const Tensor keys = W.W_key(inputs);
  const Tensor values = W.W_value(inputs);
  p.show("queries", "queries\n", queries);
  p.show("keys", "keys\n", keys);
  p.show("values", "values\n", values);
  return p.show("context_vecs", label, matmul(attention_weights(p, queries, keys), values));
}

void causal_both_ways(Program& p, const Tensor& queries, const Tensor& keys, const CausalLabels& labels) {
  p.section("renormalised");
  const Tensor attn_scores = matmul(queries, t(keys));
  if (labels.attn_scores) {
    p.show("attn_scores", *labels.attn_scores, attn_scores);
    p.size("attn_scores", "", attn_scores);
  } else {
    p.let("attn_scores", attn_scores);
  }
  const Tensor attn_weights = p.show("attn_weights", labels.attn_weights, softmax(scale(attn_scores, keys)));
  const std::int64_t num_tokens = attn_scores.size(0);
  const Tensor mask_simple = p.show("mask_simple", labels.mask_simple, torch::lower_triangle(num_tokens));
  const Tensor masked_simple = p.show("masked_simple", labels.masked_simple, multiply(attn_weights, mask_simple));
  const Tensor row_sums = p.show("row_sums", "row sums\n", sum(masked_simple, true));
  const Tensor masked_simple_norm =
      p.show("masked_simple_norm", labels.masked_simple_norm, divide(masked_simple, row_sums));

  p.section("minus_inf");
  const Tensor mask = p.let("mask", torch::causal_mask(num_tokens), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", labels.masked_attn_scores, masked_fill(attn_scores, mask, minus_infinity));
  const Tensor causal_weights = p.show("attn_weights", labels.attn_weights, softmax(scale(masked_attn_scores, keys)));
  p.show("both_agree", "both ways agree:", all_close(masked_simple_norm, causal_weights));
}

void dropout_on_ones(Program& p, double rate, const std::string& label) {
  p.section("ones");
  p.manual_seed();
  const Tensor example = p.let("example", torch::ones({p.num_tokens(), p.num_tokens()}), "example");
  const auto [dropout_mask, output] = p.dropout(example, rate);
  p.show("dropout_mask", "keep mask\n", dropout_mask);
  p.show("scale", "scale:", torch::dropout_scale(rate));
  p.show("output", label, output);
}

}  // namespace attn::chapters
