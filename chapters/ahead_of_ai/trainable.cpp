#include <algorithm>

#include "attention.hpp"
#include "chapter.hpp"
#include "inputs.hpp"
#include "rules.hpp"

namespace attn::chapters::ahead_of_ai {
namespace {

constexpr ProjectionDefaults sizes = {.init = Init::rand, .d_out_kq = 2, .d_out_v = 4};

Tensor one_query(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("one_query");
  const Tensor inputs = embedded_sentence(lesson, torch, walk, true);
  walk.size("inputs", "", inputs);
  const auto W = make_projections(lesson, torch, inputs.size(1), sizes);
  W.show_extra(walk);
  const Tensor x_2 = index(inputs, query_index(lesson, inputs));
  walk.extra("x_2", x_2);
  const Tensor query_2 = W.W_query(x_2);
  const Tensor key_2 = W.W_key(x_2);
  const Tensor value_2 = W.W_value(x_2);
  walk.extra("query_2", query_2);
  walk.extra("key_2", key_2);
  walk.extra("value_2", value_2);
  walk.size("query_2", "", query_2);
  walk.size("key_2", "", key_2);
  walk.size("value_2", "", value_2);
  const Tensor keys = W.W_key(inputs);
  const Tensor values = W.W_value(inputs);
  walk.extra("keys", keys);
  walk.extra("values", values);
  walk.size("keys", "keys.shape:", keys);
  walk.size("values", "values.shape:", values);

  const std::int64_t fifth = std::min<std::int64_t>(4, inputs.size(0) - 1);
  walk.show("omega_24", "", dot(query_2, index(keys, fifth)));
  const Tensor keys_transposed = t(keys);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores_2 = matmul(query_2, keys_transposed);
  walk.show("attn_scores_2", "", attn_scores_2);
  const Tensor scaled_attn_scores_2 = scaled(lesson, walk, attn_scores_2, keys, "scaled_attn_scores_2");
  const Tensor attn_weights_2 = softmax(lesson, scaled_attn_scores_2);
  walk.show("attn_weights_2", "", attn_weights_2);
  const Tensor context_vec_2 = matmul(attn_weights_2, values);
  walk.size("context_vec_2", "", context_vec_2);
  walk.show("context_vec_2", "", context_vec_2);
  return inputs;
}

}  // namespace

void trainable(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  const Tensor embedded = one_query(lesson, torch, walk);

  walk.section("self_attention");
  const Tensor inputs = seeded_again(lesson, torch, embedded);
  walk.extra("inputs", inputs, "inputs");
  const auto W = make_projections(lesson, torch, inputs.size(1), sizes);
  W.show_extra(walk);
  self_attention(lesson, walk, W, inputs, "");
}

}  // namespace attn::chapters::ahead_of_ai
