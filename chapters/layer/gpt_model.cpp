#include "chapters/attention.hpp"
#include "chapters/layer/layer.hpp"
#include "torch/torch.hpp"

namespace attn::chapters::layer {

/// A layer of GPTModel of the book "Build a Large Language Model (From Scratch)": its own LayerNorm before, three
/// projections, a causal mask, and the residual.
void gpt_model(Program& p) {
  Layer layer(p);
  const Tensor hidden_states = layer.hidden_states([&](const Tensor& ids) {
    const Tensor token_embeddings = layer.token_embeddings("tok_emb", ids);
    return add(token_embeddings, layer.pos_embeddings("pos_emb", ids));
  });
  const std::int64_t d = hidden_states.size(-1);
  const std::int64_t num_heads = layer.num_heads("n_heads", d);

  const Tensor normed = p.show("normed", "norm1\n", layer.layer_norm_by_hand("norm1", hidden_states, 1e-5));
  const Tensor queries = p.show("queries", "queries\n", layer.linear("W_query", "att.W_query", normed, d));
  const Tensor keys = p.show("keys", "keys\n", layer.linear("W_key", "att.W_key", normed, d));
  const Tensor values = p.show("values", "values\n", layer.linear("W_value", "att.W_value", normed, d));
  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each head\n", split(keys, num_heads));
  const Tensor values_heads = p.show("values_heads", "values of each head\n", split(values, num_heads));

  const Tensor attn_scores =
      p.show("attn_scores", "attention scores\n", matmul(queries_heads, transpose(keys_heads, 2, 3)));
  const Tensor mask = p.let("mask", torch::causal_mask(hidden_states.size(1)));
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights =
      p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys_heads)));
  const Tensor context_vecs = joined_heads(p, matmul(attn_weights, values_heads));

  const Tensor output = p.show("output", "out_proj\n", layer.linear("out_proj", "att.out_proj", context_vecs, d));
  p.show("residual_sum", "plus what entered the layer\n", add(output, hidden_states));
  layer.check_all_used();
}

}  // namespace attn::chapters::layer
