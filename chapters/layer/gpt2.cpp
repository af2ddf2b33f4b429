#include "chapters/attention.hpp"
#include "chapters/layer/layer.hpp"
#include "torch/torch.hpp"

namespace attn::chapters::layer {

/// A layer of GPT-2: LayerNorm before, one projection for queries, keys and values, a causal mask, and the residual.
/// Formula: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019.
void gpt2(Program& p) {
  Layer layer(p);
  layer.expect("scale_attn_weights", 1);
  layer.expect("scale_attn_by_inverse_layer_idx", 0);
  const Tensor hidden_states = layer.hidden_states([&](const Tensor& ids) {
    const Tensor token_embeddings = layer.token_embeddings("wte", ids);
    return add(token_embeddings, layer.pos_embeddings("wpe", ids));
  });
  const std::int64_t d = hidden_states.size(-1);
  const std::int64_t num_heads = layer.num_heads("n_head", d);

  const Tensor normed =
      p.show("normed", "ln_1\n", layer.layer_norm("ln_1", hidden_states, layer.number("layer_norm_epsilon", 1e-5)));
  const Tensor qkv = p.show("qkv", "c_attn\n", layer.conv1d("qkv", "attn.c_attn", normed, 3 * d));
  const Tensor queries = p.show("queries", "queries\n", slice(qkv, -1, 0, d));
  const Tensor keys = p.show("keys", "keys\n", slice(qkv, -1, d, 2 * d));
  const Tensor values = p.show("values", "values\n", slice(qkv, -1, 2 * d, 3 * d));

  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each head\n", split(keys, num_heads));
  const Tensor values_heads = p.show("values_heads", "values of each head\n", split(values, num_heads));
  const Tensor context_vecs =
      attend(p, queries_heads, keys_heads, values_heads, torch::causal_mask(hidden_states.size(1)));

  const Tensor output = p.show("output", "c_proj\n", layer.conv1d("out_proj", "attn.c_proj", context_vecs, d));
  p.show("residual_sum", "plus what entered the layer\n", add(output, hidden_states));
  layer.check_all_used();
}

}  // namespace attn::chapters::layer
