#include "attention.hpp"
#include "book/book.hpp"
#include "book/causal_attention.hpp"
#include "book/v2.hpp"

namespace attn::chapters::book {

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
