#include "chapters/attention.hpp"
#include "chapters/book/book.hpp"

namespace attn::chapters::book {

void dropout(Program& p) {
  const double rate = p.dropout_rate(0.5);
  dropout_on_ones(p, rate, "");

  p.section("causal");
  p.seed_with(v2_seed);
  const Tensor inputs = p.inputs();
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), v2_weights);
  const Tensor queries = p.let("queries", W_query(inputs));
  const Tensor keys = p.let("keys", W_key(inputs));
  const Tensor attn_scores = p.let("attn_scores", matmul(queries, t(keys)));
  const Tensor mask = p.let("mask", torch::causal_mask(inputs.size(0)), "mask.bool()");
  const Tensor masked_attn_scores = p.let("masked_attn_scores", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));

  p.seed_with(default_seed);
  p.manual_seed();
  const auto [dropout_mask, dropout_attn_weights] = p.dropout(attn_weights, rate);
  p.show("dropout_mask", "keep mask\n", dropout_mask);
  p.show("dropout_attn_weights", "", dropout_attn_weights);
}

}  // namespace attn::chapters::book
