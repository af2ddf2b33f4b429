#include <cstdint>

#include "chapters/attention.hpp"
#include "chapters/modern/modern.hpp"

namespace attn::chapters::modern {

/// Attention with a learned sink for each head: a score that no token has and that takes a part of every row's weight,
/// so that a head need not attend to anything. Formula: OpenAI, "gpt-oss-120b & gpt-oss-20b Model Card", 2025, section
/// 2.3; Xiao et al., "Efficient Streaming Language Models with Attention Sinks", 2023.
void sinks(Program& p) {
  const Tensor inputs = p.inputs();
  const Tensor batch = p.batch(inputs, 1);
  const std::int64_t num_tokens = inputs.size(0);
  const std::int64_t num_heads = p.num_heads(2);
  check_heads_divide(num_heads, p.lesson().d_out_kq.value_or(4), p.lesson().d_out_v.value_or(4));
  const auto [W_query, W_key, W_value] =
      p.projections(batch.size(-1), {.init = Init::linear, .d_out_kq = 4, .d_out_v = 4});
  const Tensor sinks = p.show("sinks", "sink of each head\n", p.randn({num_heads}));
  const Tensor queries = p.let("queries", W_query(batch));
  const Tensor keys = p.let("keys", W_key(batch));
  const Tensor values = p.let("values", W_value(batch));
  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each head\n", split(keys, num_heads));
  const Tensor values_heads = p.show("values_heads", "values of each head\n", split(values, num_heads));
  const Tensor attn_scores =
      p.show("attn_scores", "attention scores\n", matmul(queries_heads, transpose(keys_heads, 2, 3)));
  const Tensor scaled_attn_scores =
      p.show("scaled_attn_scores", "scaled attention scores\n", scale(attn_scores, keys_heads));
  const Tensor mask = p.let("mask", torch::causal_mask(num_tokens), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(scaled_attn_scores, mask, minus_infinity));

  const Tensor sink_column = p.let("sink_column", repeat_interleave(view(sinks, {1, num_heads, 1, 1}), num_tokens, 2));
  const Tensor sink_scores = p.let("sink_scores", repeat_interleave(sink_column, batch.size(0), 0));
  const Tensor scores_with_sink =
      p.show("scores_with_sink", "scores, and the sink's\n", cat({masked_attn_scores, sink_scores}));
  const Tensor weights_with_sink = p.show("weights_with_sink", "weights, and the sink's\n", softmax(scores_with_sink));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", slice(weights_with_sink, 3, 0, num_tokens));
  const Tensor context_vec = p.let("context_vec", transpose(matmul(attn_weights, values_heads), 1, 2), "context_vec");
  p.show("context_vecs", "context vectors\n", join(context_vec));
}

}  // namespace attn::chapters::modern
