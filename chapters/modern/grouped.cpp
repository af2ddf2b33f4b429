#include "chapters/attention.hpp"
#include "chapters/modern/modern.hpp"

namespace attn::chapters::modern {

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

}  // namespace attn::chapters::modern
