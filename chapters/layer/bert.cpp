#include "heads.hpp"
#include "layer/layer.hpp"

namespace attn::chapters::layer {

/// A layer of BERT: every token sees every other; the residual and LayerNorm come after. Formula: Devlin et al.,
/// "BERT", 2018.
void bert(Program& p) {
  Layer layer(p);
  layer.expect("is_decoder", 0);
  layer.expect("position_embedding_type", "absolute");
  const Tensor hidden_states = layer.hidden_states();
  const std::int64_t d = hidden_states.size(-1);
  const std::int64_t num_heads = layer.num_heads("num_attention_heads", d);

  const Tensor queries =
      p.show("queries", "query\n", layer.linear("W_query", "attention.self.query", hidden_states, d));
  const Tensor keys = p.show("keys", "key\n", layer.linear("W_key", "attention.self.key", hidden_states, d));
  const Tensor values = p.show("values", "value\n", layer.linear("W_value", "attention.self.value", hidden_states, d));
  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each head\n", split(keys, num_heads));
  const Tensor values_heads = p.show("values_heads", "values of each head\n", split(values, num_heads));
  const Tensor context_vecs = attend(p, queries_heads, keys_heads, values_heads, {});

  const Tensor output =
      p.show("output", "dense\n", layer.linear("out_proj", "attention.output.dense", context_vecs, d));
  const Tensor residual_sum = p.show("residual_sum", "plus what entered the layer\n", add(output, hidden_states));
  p.show("normed", "LayerNorm\n",
         layer.layer_norm("attention.output.LayerNorm", residual_sum, layer.number("layer_norm_eps", 1e-12)));
  layer.check_all_used();
}

}  // namespace attn::chapters::layer
