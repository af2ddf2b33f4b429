#include "attention.hpp"
#include "chapter.hpp"
#include "inputs.hpp"
#include "projection.hpp"
#include "rules.hpp"

namespace attn::chapters::blog {
namespace {

void one_query(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("one_query");
  const Tensor inputs = shown_inputs(lesson, torch, walk);
  const Tensor x_2 = index(inputs, query_index(lesson, inputs));
  walk.extra("x_2", x_2);
  const std::int64_t d_in = inputs.size(-1);
  const auto W = make_projections(lesson, torch, d_in, {Init::rand, d_in, d_in});
  W.W_query.show(walk, "Query Trainable Weigth");  // the page's spelling, so that a diff finds no line
  W.W_key.show(walk, "Key Trainable Weight");
  W.W_value.show(walk, "Value Trainable Weigth");
  const Tensor query_2 = W.W_query(x_2);
  const Tensor key_2 = W.W_key(x_2);
  const Tensor value_2 = W.W_value(x_2);
  walk.show("query_2", "Query vector\n", query_2);
  walk.show("key_2", "Key vector\n", key_2);
  walk.show("value_2", "Value vector\n", value_2);

  const Tensor keys = W.W_key(inputs);
  const Tensor values = W.W_value(inputs);
  walk.show("keys", "keys\n", keys);
  walk.show("values", "values\n", values);
  const Tensor keys_transposed = t(keys);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores_2 = matmul(query_2, keys_transposed);
  walk.show("attn_scores_2", "attention scores\n", attn_scores_2);
  const Tensor scaled_attn_scores_2 = scaled(lesson, walk, attn_scores_2, keys, "scaled_attn_scores_2");
  const Tensor attn_weights_2 = softmax(lesson, scaled_attn_scores_2);
  walk.show("attn_weights_2", "attention weights\n", attn_weights_2);
  walk.show("context_vec_2", "context vector\n", matmul(attn_weights_2, values));
}

void as_module(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("self_attention");
  const Tensor inputs = seeded_inputs(lesson, torch);
  walk.extra("inputs", inputs, "inputs");
  const std::int64_t d_in = inputs.size(-1);
  const auto W = make_projections(lesson, torch, d_in, {Init::linear, d_in, d_in});
  W.show_extra(walk);
  self_attention(lesson, walk, W, inputs, "context vectors\n");
}

}  // namespace

void trainable(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  one_query(lesson, torch, walk);
  as_module(lesson, torch, walk);
}

}  // namespace attn::chapters::blog
