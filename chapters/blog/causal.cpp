#include "chapters/attention.hpp"
#include "chapters/blog/blog.hpp"

namespace attn::chapters::blog {

WeightsAndValues causal_attention(Program& p, double rate, Prints prints) {
  const bool all = prints == Prints::everything;
  const Tensor inputs = p.inputs();
  const Tensor batch = p.batch(inputs, 2);
  const std::int64_t d_in = inputs.size(-1);
  const auto [W_query, W_key, W_value] = p.projections(d_in, {Init::linear, d_in, d_in});

  const Tensor keys = p.show("keys", "keys\n", W_key(batch), all);
  const Tensor queries = p.show("queries", "queries\n", W_query(batch), all);
  const Tensor values = p.show("values", "values\n", W_value(batch), all);

  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, transpose(keys, 1, 2)), all);
  const Tensor mask = p.let("mask", torch::causal_mask(inputs.size(0)), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity), all);
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));

  const auto [dropout_mask, dropout_attn_weights] = p.dropout(attn_weights, rate);
  p.show("dropout_mask", "keep mask\n", dropout_mask, !all);
  p.show("dropout_attn_weights", "dropout attention weights\n", dropout_attn_weights);
  return {dropout_attn_weights, values};
}

void causal(Program& p) {
  const auto [attn_weights, values] = causal_attention(p, p.dropout_rate(0.2), Prints::everything);
  const Tensor context_vecs = p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));
  p.size("context_vecs", "context_vecs.shape:", context_vecs);
}

}  // namespace attn::chapters::blog
