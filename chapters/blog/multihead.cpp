#include "chapter.hpp"
#include "heads.hpp"
#include "inputs.hpp"
#include "projection.hpp"
#include "rules.hpp"

namespace attn::chapters::blog {

void multihead(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  const Tensor inputs = shown_inputs(lesson, torch, walk);
  const std::int64_t b = lesson.batch.value_or(1);
  const Tensor batch = stack(inputs, b);
  walk.extra("batch", batch);
  const std::int64_t num_tokens = inputs.size(0);
  const std::int64_t num_heads = lesson.num_heads.value_or(3);
  const auto W = make_projections(lesson, torch, inputs.size(1), {Init::linear, 3, 3});
  check_heads_divide(num_heads, W.d_out_kq, W.d_out_v);
  const torch::Linear out_proj = torch.linear(W.d_out_v, W.d_out_v, true, "out_proj");
  W.show_extra(walk);
  walk.extra("out_proj_weight", out_proj.weight, "out_proj.weight");
  walk.extra("out_proj_bias", *out_proj.bias, "out_proj.bias");

  const Tensor keys = W.W_key(batch);
  walk.show("keys", "keys", keys);
  const Tensor queries = W.W_query(batch);
  const Tensor values = W.W_value(batch);
  walk.show("queries", "queries\n", queries);
  walk.show("values", "values\n", values);

  const Tensor keys_view = view(keys, {b, num_tokens, num_heads, W.d_out_kq / num_heads});
  walk.size("keys", "keys\n", keys_view);
  const Tensor values_view = view(values, {b, num_tokens, num_heads, W.d_out_v / num_heads});
  const Tensor queries_view = view(queries, {b, num_tokens, num_heads, W.d_out_kq / num_heads});
  const Tensor keys_heads = transpose(keys_view, 1, 2);
  walk.size("keys_heads", "keys transpose\n", keys_heads);
  const Tensor queries_heads = transpose(queries_view, 1, 2);
  const Tensor values_heads = transpose(values_view, 1, 2);
  walk.extra("keys_heads", keys_heads);
  walk.extra("queries_heads", queries_heads);
  walk.extra("values_heads", values_heads);

  const Tensor keys_transposed = transpose(keys_heads, 2, 3);
  walk.size("keys_transposed", "attn_score keys transpose\n", keys_transposed);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores = matmul(queries_heads, keys_transposed);
  walk.size("attn_scores", "attn_scores\n", attn_scores);
  walk.show("attn_scores", "attention scores\n", attn_scores);

  const Tensor mask = torch::causal_mask(num_tokens);
  walk.show("mask", "mask_bool:\n", mask);
  walk.size("attn_weights", "attn_weights\n", attn_scores);
  const Tensor masked_attn_scores = masked(lesson, walk, attn_scores, mask, "masked attention scores\n");
  const Tensor scaled_attn_scores = scaled(lesson, walk, masked_attn_scores, keys_heads);
  const Tensor attn_weights = masked_softmax(lesson, walk, scaled_attn_scores, mask);
  walk.show("attn_weights", "attention weights\n", attn_weights);

  const double p = lesson.dropout.value_or(0);
  const auto [dropout_mask, dropout_attn_weights] = chapters::dropout(lesson, torch, attn_weights, p);
  walk.extra("dropout_mask", dropout_mask, "keep mask");
  walk.add("dropout_attn_weights", "dropout attention weights\n", dropout_attn_weights, p > 0);

  const Tensor context_vec = transpose(matmul(dropout_attn_weights, values_heads), 1, 2);
  walk.size("context_vec", "context_vec shape:\n", context_vec);
  walk.show("context_vec", "context_vec:\n", context_vec);
  const Tensor context_vecs = view(contiguous(context_vec), {b, num_tokens, W.d_out_v});
  walk.extra("context_vecs", context_vecs);
  const Tensor output = out_proj(context_vecs);
  walk.show("output", "output:\n", output);
  walk.size("output", "output.shape:\n", output);
}

}  // namespace attn::chapters::blog
