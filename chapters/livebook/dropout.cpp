#include "chapter.hpp"
#include "dropout_on_ones.hpp"
#include "inputs.hpp"
#include "livebook/weights.hpp"
#include "rules.hpp"

namespace attn::chapters::livebook {

void dropout(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  const double p = lesson.dropout.value_or(0.5);
  dropout_on_ones(lesson, torch, walk, p);

  walk.section("causal");
  const Tensor inputs = shown_inputs(lesson, torch, walk);
  const auto W = page_projections(lesson, torch, inputs.size(-1));
  W.show_extra(walk);
  const Tensor keys = W.W_key(inputs);
  const Tensor queries = W.W_query(inputs);
  const Tensor values = W.W_value(inputs);
  walk.extra("keys", keys);
  walk.extra("queries", queries);
  walk.extra("values", values);
  const Tensor keys_transposed = t(keys);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores = matmul(queries, keys_transposed);
  walk.extra("attn_scores", attn_scores);
  const Tensor mask = torch::causal_mask(inputs.size(0));
  walk.extra("mask", mask, "mask.bool()");
  const Tensor masked_attn_scores =
      masked(lesson, walk, attn_scores, mask, "attn_scores.masked_fill(mask, -torch.inf)\n", false);
  const Tensor scaled_attn_scores = scaled(lesson, walk, masked_attn_scores, keys);
  const Tensor attn_weights = masked_softmax(lesson, walk, scaled_attn_scores, mask);
  walk.show("attn_weights", "attention weights\n", attn_weights);
  const auto [dropout_mask, dropout_attn_weights] = chapters::dropout(lesson, torch, attn_weights, p);
  walk.show("dropout_mask", "keep mask\n", dropout_mask);
  walk.show("dropout_attn_weights", "dropout attention weights\n", dropout_attn_weights);
  walk.show("row_sums", "row sums\n", sum(dropout_attn_weights));
  walk.show("context_vecs", "context vectors\n", matmul(dropout_attn_weights, values));
}

}  // namespace attn::chapters::livebook
