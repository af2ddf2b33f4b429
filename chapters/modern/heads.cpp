
#include "chapters/attention.hpp"
#include "chapters/modern/modern.hpp"

namespace attn::chapters::modern {
namespace {

/// softmax of masked scores, and the heads' context vectors side by side.
void attend(Program& p, const Tensor& scores, const Tensor& mask, const Tensor& values_heads) {
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(masked_attn_scores));
  const Tensor context_vec = p.let("context_vec", transpose(matmul(attn_weights, values_heads), 1, 2), "context_vec");
  p.show("context_vecs", "context vectors\n", join(context_vec));
}

}  // namespace

/// Grouped-query attention: groups of query heads share a head of keys and values. With one such head it is
/// multi-query attention, with as many as query heads it is multi-head attention. Formula: Ainslie et al., "GQA", 2023.
void grouped(Program& p) {
  const Tensor batch = p.batch(p.inputs(), 1);
  const std::int64_t num_heads = p.num_heads(4);
  const std::int64_t num_kv_heads = p.own_size("num-kv-heads", 2);
  check_heads_divide(num_heads, p.lesson().d_out_kq.value_or(8), p.lesson().d_out_v.value_or(8));
  check_groups(num_heads, num_kv_heads);
  const std::int64_t group_size = num_heads / num_kv_heads;
  const auto [W_query, W_key, W_value] =
      p.projections(batch.size(-1),
                    {.init = Init::linear, .d_out_kq = 8, .d_out_v = 8, .heads = num_heads, .kv_heads = num_kv_heads});
  const std::int64_t d_out = W_value.d_out() * group_size;
  const Projection out_proj = p.projection("out_proj", Init::linear, d_out, d_out);

  const Tensor queries = p.show("queries", "queries\n", W_query(batch));
  const Tensor keys = p.show("keys", "keys\n", W_key(batch));
  const Tensor values = p.show("values", "values\n", W_value(batch));

  const Tensor queries_heads = p.show("queries_heads", "queries of each head\n", split(queries, num_heads));
  const Tensor keys_heads = p.show("keys_heads", "keys of each key/value head\n", split(keys, num_kv_heads));
  const Tensor values_heads = p.show("values_heads", "values of each key/value head\n", split(values, num_kv_heads));
  const Tensor keys_repeated =
      p.show("keys_repeated", "keys for each head\n", repeat_interleave(keys_heads, group_size, 1));
  const Tensor values_repeated =
      p.show("values_repeated", "values for each head\n", repeat_interleave(values_heads, group_size, 1));

  const Tensor attn_scores =
      p.show("attn_scores", "attention scores\n", matmul(queries_heads, transpose(keys_repeated, 2, 3)));
  const Tensor mask = p.let("mask", torch::causal_mask(batch.size(1)), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights =
      p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys_repeated)));

  const Tensor context_vec =
      p.show("context_vec", "context vectors of every head\n", transpose(matmul(attn_weights, values_repeated), 1, 2));
  const Tensor context_vecs = p.show("context_vecs", "context vectors\n", join(context_vec));
  p.show("output", "output\n", out_proj(context_vecs));
}

/// Attention that prefers near tokens: with linear biases (ALiBi), a penalty that grows with the distance, by a slope
/// of each head; and with a sliding window, a mask that hides distant tokens. Formula: Press et al., "Train Short, Test
/// Long", 2021; Beltagy et al., "Longformer", 2020.
void bias(Program& p) {
  p.section("alibi");
  const Tensor inputs = p.inputs();
  const Tensor batch = p.batch(inputs, 1);
  const std::int64_t num_tokens = inputs.size(0);
  const std::int64_t num_heads = p.num_heads(2);
  const std::int64_t window = p.own_size("window", 3);
  check_heads_divide(num_heads, p.lesson().d_out_kq.value_or(4), p.lesson().d_out_v.value_or(4));
  const auto [W_query, W_key, W_value] = p.projections(batch.size(-1), {Init::linear, 4, 4});
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

  const Tensor positions = p.let("positions", torch::positions(0, num_tokens, inputs));
  const Tensor distances =
      p.show("distances", "the key's position minus the query's\n", subtract(t(positions), positions));
  const Tensor slopes =
      p.show("slopes", "slope of each head\n", torch::alibi_slopes(num_heads, index(queries_heads, 0)));
  const Tensor alibi_bias = p.show("alibi_bias", "biases\n", multiply(slopes, distances));
  const Tensor biased_attn_scores =
      p.show("biased_attn_scores", "biased attention scores\n", add(scaled_attn_scores, alibi_bias));
  attend(p, biased_attn_scores, p.let("mask", torch::causal_mask(num_tokens), "mask.bool()"), values_heads);

  p.section("window");
  attend(p, scaled_attn_scores, p.show("mask", "mask\n", torch::window_mask(num_tokens, window)), values_heads);
}

/// Attention with a learned sink for each head: a score that no token has and that takes a part of every row's weight,
/// so that a head need not attend to anything. Formula: OpenAI, "gpt-oss-120b & gpt-oss-20b Model Card", 2025, section
/// 2.3; Xiao et al., "Efficient Streaming Language Models with Attention Sinks", 2023.
void sinks(Program& p) {
  const Tensor inputs = p.inputs();
  const Tensor batch = p.batch(inputs, 1);
  const std::int64_t num_tokens = inputs.size(0);
  const std::int64_t num_heads = p.num_heads(2);
  check_heads_divide(num_heads, p.lesson().d_out_kq.value_or(4), p.lesson().d_out_v.value_or(4));
  const auto [W_query, W_key, W_value] = p.projections(batch.size(-1), {Init::linear, 4, 4});
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
