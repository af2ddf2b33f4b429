#include <cstdint>

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
  const auto [W_query, W_key, W_value] =
      p.projections(batch.size(-1), {.init = Init::linear, .d_out_kq = 4, .d_out_v = 4});
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

}  // namespace attn::chapters::modern
