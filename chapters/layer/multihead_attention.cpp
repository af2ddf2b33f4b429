#include "chapters/attention.hpp"
#include "chapters/layer/layer.hpp"

namespace attn::chapters::layer {

/// nn.MultiheadAttention on one sequence, as its query, key and value, without a mask. Its program scales the queries
/// before they meet the keys. Of a batch it multiplies the rows in another order, and last bits may differ.
void multihead_attention(Program& p) {
  Layer layer(p);
  const Tensor hidden_states = layer.hidden_states();
  const std::int64_t d = hidden_states.size(-1);
  const std::int64_t num_heads = layer.num_heads("num_heads", d);

  const Tensor qkv = p.show("qkv", "in_proj\n", layer.linear("qkv", "in_proj", hidden_states, 3 * d, "_"));
  const Tensor queries = p.show("queries", "queries\n", slice(qkv, -1, 0, d));
  const Tensor keys = p.show("keys", "keys\n", slice(qkv, -1, d, 2 * d));
  const Tensor values = p.show("values", "values\n", slice(qkv, -1, 2 * d, 3 * d));
  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each head\n", split(keys, num_heads));
  const Tensor values_heads = p.show("values_heads", "values of each head\n", split(values, num_heads));

  const Tensor scaled_queries_heads = p.show("scaled_queries_heads", "scaled queries\n", scale_queries(queries_heads));
  const Tensor attn_scores =
      p.show("attn_scores", "attention scores\n", matmul(scaled_queries_heads, transpose(keys_heads, 2, 3)));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(attn_scores));
  const Tensor context_vecs = joined_heads(p, matmul(attn_weights, values_heads));
  p.show("output", "out_proj\n", layer.linear("out_proj", "out_proj", context_vecs, d));
  layer.check_all_used();
}

}  // namespace attn::chapters::layer
