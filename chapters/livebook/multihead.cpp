#include <vector>

#include "chapters/attention.hpp"
#include "chapters/livebook/livebook.hpp"

namespace attn::chapters::livebook {
namespace {

/// One head with its own weights: batch [b, tokens, d_in] -> [b, tokens, d_out].
Tensor single_head(Program& p, const Tensor& batch) {
  const auto [W_query, W_key, W_value] =
      p.projections(batch.size(-1), {.init = Init::rand, .d_out_kq = 2, .d_out_v = 2});
  const Tensor keys = p.show("keys", "keys\n", W_key(batch));
  const Tensor queries = p.show("queries", "queries\n", W_query(batch));
  const Tensor values = p.show("values", "values\n", W_value(batch));
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, transpose(keys, 1, 2)));
  const Tensor mask = p.let("mask", torch::causal_mask(batch.size(1)), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  return p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));
}

/// One projection split among the heads: batch [b, tokens, d_in] -> [b, tokens, d_out].
void split_heads(Program& p, const Tensor& batch, std::int64_t num_heads, std::int64_t default_d_out) {
  p.seeded_inputs();
  const auto [W_query, W_key, W_value] =
      p.projections(batch.size(-1), {.init = Init::rand, .d_out_kq = default_d_out, .d_out_v = default_d_out});
  const std::int64_t d_out = W_value.d_out();
  const Projection out_proj = p.projection("out_proj", Init::rand, d_out, d_out);
  const Tensor keys = p.show("keys", "keys\n", W_key(batch));
  const Tensor queries = p.show("queries", "queries\n", W_query(batch));
  const Tensor values = p.show("values", "values\n", W_value(batch));
  const Tensor keys_heads = p.let("keys_heads", split(keys, num_heads));
  const Tensor queries_heads = p.let("queries_heads", split(queries, num_heads));
  const Tensor values_heads = p.let("values_heads", split(values, num_heads));
  const Tensor attn_scores =
      p.show("attn_scores", "attention scores\n", matmul(queries_heads, transpose(keys_heads, 2, 3)));
  const Tensor mask = p.let("mask", torch::causal_mask(batch.size(1)), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  // The page divides by the root of d_out, not of head_dim.
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  const Tensor context_vec =
      p.show("context_vec", "context vectors of every head\n", transpose(matmul(attn_weights, values_heads), 1, 2));
  const Tensor context_vecs =
      p.let("context_vecs", view(contiguous(context_vec), {batch.size(0), batch.size(1), d_out}));
  p.show("output", "output\n", out_proj(context_vecs));
}

}  // namespace

void multihead(Program& p) {
  p.section("inputs");
  const Tensor batch = p.batch(p.inputs(), 2);
  const std::int64_t num_heads = p.num_heads(2);
  for (const std::int64_t d_out : {4, 2}) {
    check_heads_divide(num_heads, p.lesson().d_out_kq.value_or(d_out), p.lesson().d_out_v.value_or(d_out));
  }
  check_heads_listable(num_heads);

  std::vector<Tensor> heads;
  for (std::int64_t head = 1; head <= num_heads; ++head) {
    p.section("head_" + std::to_string(head));
    heads.push_back(single_head(p, batch));
  }
  p.section("stacked");
  p.show("context_vecs", "stacked heads\n", cat(heads));

  p.section("split_4");
  split_heads(p, batch, num_heads, 4);
  p.section("split_2");
  split_heads(p, batch, num_heads, 2);
}

}  // namespace attn::chapters::livebook
