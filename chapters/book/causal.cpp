#include "chapters/attention.hpp"
#include "chapters/book/book.hpp"

namespace attn::chapters::book {

Tensor causal_attention(Program& p, const Projections& W, const Tensor& batch, const std::string& label) {
  const Tensor keys = p.show("keys", "keys\n", W.W_key(batch));
  const Tensor queries = p.show("queries", "queries\n", W.W_query(batch));
  const Tensor values = p.show("values", "values\n", W.W_value(batch));
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, transpose(keys, 1, 2)));
  const Tensor mask = p.let("mask", torch::causal_mask(batch.size(1)), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  return p.show("context_vecs", label, matmul(dropped(p, attn_weights), values));
}

Tensor dropped(Program& p, const Tensor& attn_weights) {
  const double rate = p.dropout_rate(0);
  const auto [dropout_mask, dropout_attn_weights] = p.dropout(attn_weights, rate);
  p.let("dropout_mask", dropout_mask, "keep mask");
  return p.show("dropout_attn_weights", "dropout attention weights\n", dropout_attn_weights, rate > 0);
}

void causal(Program& p) {
  p.section("renormalised");
  p.seed_with(v2_seed);
  const Tensor inputs = p.inputs();
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), v2_weights);
  const Tensor queries = p.let("queries", W_query(inputs));
  const Tensor keys = p.let("keys", W_key(inputs));
  causal_both_ways(p, queries, keys, {});

  p.section("causal_attention");
  p.seed_with(default_seed);
  const Tensor batch = p.size("batch", "", p.batch(p.inputs_again(), 2));
  const Projections W = p.projections(batch.size(-1), {.init = Init::linear, .d_out_kq = 2, .d_out_v = 2});
  const Tensor context_vecs = causal_attention(p, W, batch, "");
  p.size("context_vecs", "context_vecs.shape:", context_vecs);
}

}  // namespace attn::chapters::book
