#include <optional>

#include "chapters/attention.hpp"
#include "chapters/layer/layer.hpp"
#include "torch/torch.hpp"
#include "walk/rotation.hpp"

namespace attn::chapters::layer {
namespace {

/// A causal mask, or a sliding window where the layer has one that is shorter than the tokens.
Tensor mask_of(const Layer& layer, std::int64_t num_tokens) {
  const std::string type = layer.word("layer_types." + std::to_string(layer.index()), "");
  const bool slides = type.empty() ? layer.number("use_sliding_window", 1) != 0 : type == "sliding_attention";
  const auto window = static_cast<std::int64_t>(slides ? layer.number("sliding_window", 0) : 0);
  return window > 0 && window < num_tokens ? torch::window_mask(num_tokens, window) : torch::causal_mask(num_tokens);
}

}  // namespace

/// A layer of Llama, and of models built like it: RMSNorm before, rotary embedding, groups of query heads that share
/// keys and values, a causal mask that may be a sliding window, and the residual. Formula: Touvron et al., "LLaMA",
/// 2023; Jiang et al., "Mistral 7B", 2023.
void llama(Program& p) {
  Layer layer(p);
  layer.needs_config("rope_theta, rms_norm_eps and the number of heads");
  const Tensor hidden_states =
      layer.hidden_states([&](const Tensor& ids) { return layer.token_embeddings("embed_tokens", ids); });
  const std::int64_t num_tokens = hidden_states.size(1);
  const std::int64_t d = hidden_states.size(-1);
  const std::int64_t num_heads = layer.num_heads("num_attention_heads");
  const std::int64_t num_kv_heads = layer.whole("num_key_value_heads", num_heads);
  const std::int64_t head_dim = layer.whole("head_dim", d / num_heads);
  layer.check_divides(num_kv_heads, num_heads, "query heads");

  const Tensor normed = p.show("normed", "input_layernorm\n",
                               layer.rms_norm("input_layernorm", hidden_states, layer.number("rms_norm_eps", 1e-6)));
  const Tensor queries =
      p.show("queries", "q_proj\n", layer.linear("W_query", "self_attn.q_proj", normed, num_heads * head_dim));
  const Tensor keys =
      p.show("keys", "k_proj\n", layer.linear("W_key", "self_attn.k_proj", normed, num_kv_heads * head_dim));
  const Tensor values =
      p.show("values", "v_proj\n", layer.linear("W_value", "self_attn.v_proj", normed, num_kv_heads * head_dim));
  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each key/value head\n", split(keys, num_kv_heads));
  const Tensor values_heads = p.show("values_heads", "values of each key/value head\n", split(values, num_kv_heads));

  const Tensor positions = p.let("positions", torch::positions(0, num_tokens, queries));
  const Tensor frequencies = rope_frequencies(p, layer, head_dim);
  const Tensor angles = p.let("angles", multiply(positions, frequencies));
  const Tensor cosines = p.show("cos", "cosines\n", cos(angles));
  const Tensor sines = p.show("sin", "sines\n", sin(angles));
  const Tensor rotated_queries =
      p.show("rotated_queries", "rotated queries\n", rotated(queries_heads, cosines, sines, Pairs::halves));
  const Tensor rotated_keys =
      p.show("rotated_keys", "rotated keys\n", rotated(keys_heads, cosines, sines, Pairs::halves));

  const std::int64_t group_size = num_heads / num_kv_heads;
  const Tensor keys_repeated =
      p.show("keys_repeated", "keys for each head\n", repeat_interleave(rotated_keys, group_size, 1));
  const Tensor values_repeated =
      p.show("values_repeated", "values for each head\n", repeat_interleave(values_heads, group_size, 1));
  const Tensor context_vecs = attend(p, rotated_queries, keys_repeated, values_repeated, mask_of(layer, num_tokens));

  const Tensor output = p.show("output", "o_proj\n", layer.linear("out_proj", "self_attn.o_proj", context_vecs, d));
  p.show("residual_sum", "plus what entered the layer\n", add(hidden_states, output));
  layer.check_all_used();
}

}  // namespace attn::chapters::layer
