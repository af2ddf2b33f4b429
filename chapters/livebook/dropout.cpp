#include "chapters/attention.hpp"
#include "chapters/livebook/livebook.hpp"

namespace attn::chapters::livebook {

void dropout(Program& p) {
  const double rate = p.dropout_rate(0.5);
  dropout_on_ones(p, rate);

  p.section("causal");
  const Tensor inputs = p.inputs();
  const auto [W_query, W_key, W_value] = p.let(page_projections(p, inputs.size(-1)));
  const Tensor keys = p.let("keys", W_key(inputs));
  const Tensor queries = p.let("queries", W_query(inputs));
  const Tensor values = p.let("values", W_value(inputs));
  const Tensor attn_scores = p.let("attn_scores", matmul(queries, t(keys)));
  const Tensor mask = p.let("mask", torch::causal_mask(inputs.size(0)), "mask.bool()");
  const Tensor masked_attn_scores = p.let("masked_attn_scores", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  const auto [dropout_mask, dropout_attn_weights] = p.dropout(attn_weights, rate);
  p.show("dropout_mask", "keep mask\n", dropout_mask);
  p.show("dropout_attn_weights", "dropout attention weights\n", dropout_attn_weights);
  p.show("row_sums", "row sums\n", sum(dropout_attn_weights));
  p.show("context_vecs", "context vectors\n", matmul(dropout_attn_weights, values));
}

}  // namespace attn::chapters::livebook
