#include "chapters/attention.hpp"
#include "chapters/blog/blog.hpp"

namespace attn::chapters::blog {

void multihead(Program& p) {
  const Tensor inputs = p.inputs();
  const Tensor batch = p.batch(inputs, 1);
  const std::int64_t b = batch.size(0);
  const std::int64_t num_tokens = batch.size(1);
  const std::int64_t num_heads = p.num_heads(3);
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), {Init::linear, 3, 3});
  check_heads_divide(num_heads, W_key.d_out(), W_value.d_out());
  const std::int64_t d_out = W_value.d_out();
  const torch::Linear out_proj = p.linear("out_proj", d_out, d_out);

  const Tensor keys = p.show("keys", "keys", W_key(batch));
  const Tensor queries = p.show("queries", "queries\n", W_query(batch));
  const Tensor values = p.show("values", "values\n", W_value(batch));

  const Tensor keys_view = p.size("keys", "keys\n", view(keys, {b, num_tokens, num_heads, W_key.d_out() / num_heads}));
  const Tensor values_view = view(values, {b, num_tokens, num_heads, d_out / num_heads});
  const Tensor queries_view = view(queries, {b, num_tokens, num_heads, W_query.d_out() / num_heads});
  const Tensor keys_heads = p.size("keys_heads", "keys transpose\n", transpose(keys_view, 1, 2));
  const Tensor queries_heads = transpose(queries_view, 1, 2);
  const Tensor values_heads = transpose(values_view, 1, 2);
  p.let("keys_heads", keys_heads);
  p.let("queries_heads", queries_heads);
  p.let("values_heads", values_heads);

  const Tensor keys_transposed = p.size("keys_transposed", "attn_score keys transpose\n", transpose(keys_heads, 2, 3));
  const Tensor attn_scores = matmul(queries_heads, keys_transposed);
  p.size("attn_scores", "attn_scores\n", attn_scores);
  p.show("attn_scores", "attention scores\n", attn_scores);

  const Tensor mask = p.show("mask", "mask_bool:\n", torch::causal_mask(num_tokens));
  p.size("attn_weights", "attn_weights\n", attn_scores);
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights =
      p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys_heads)));

  const double rate = p.dropout_rate(0);
  const auto [dropout_mask, dropout_attn_weights] = p.dropout(attn_weights, rate);
  p.let("dropout_mask", dropout_mask, "keep mask");
  p.show("dropout_attn_weights", "dropout attention weights\n", dropout_attn_weights, rate > 0);

  const Tensor context_vec = transpose(matmul(dropout_attn_weights, values_heads), 1, 2);
  p.size("context_vec", "context_vec shape:\n", context_vec);
  p.show("context_vec", "context_vec:\n", context_vec);
  const Tensor context_vecs = p.let("context_vecs", view(contiguous(context_vec), {b, num_tokens, d_out}));
  const Tensor output = p.show("output", "output:\n", out_proj(context_vecs));
  p.size("output", "output.shape:\n", output);
}

}  // namespace attn::chapters::blog
