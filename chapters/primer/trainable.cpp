#include <algorithm>

#include "attention.hpp"
#include "chapter.hpp"
#include "inputs.hpp"
#include "rules.hpp"

namespace attn::chapters::primer {
namespace {

constexpr ProjectionDefaults by_hand = {.init = Init::randn, .d_out_kq = 2, .d_out_v = 2, .key_first = true};
constexpr ProjectionDefaults as_module = {.init = Init::linear, .d_out_kq = 2, .d_out_v = 2};

void one_query(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("one_query");
  const Tensor inputs = shown_inputs(lesson, torch, walk);
  const Tensor x_2 = index(inputs, query_index(lesson, inputs));
  walk.extra("x_2", x_2);
  const auto W = make_projections(lesson, torch, inputs.size(-1), by_hand);
  W.show_extra(walk);
  const Tensor query_2 = W.W_query(x_2);
  walk.show("query_2", "query_2\n", query_2);
  walk.show("key_2", "key_2\n", W.W_key(x_2));
  walk.show("value_2", "value_2\n", W.W_value(x_2));
  const Tensor keys = W.W_key(inputs);
  const Tensor values = W.W_value(inputs);
  walk.extra("keys", keys);
  walk.extra("values", values);

  const std::int64_t num_tokens = inputs.size(0);
  for (std::int64_t i = 0; i < std::min<std::int64_t>(4, num_tokens); ++i) {
    walk.show("w_2" + std::to_string(i + 1), "", dot(query_2, index(keys, i)));
    walk.end_line(i + 1 < std::min<std::int64_t>(4, num_tokens) ? " " : "\n");
  }
  walk.size("keys", "keys.shape:", keys);
  walk.size("values", "values.shape:", values);
  const Tensor key_of_2 = index(keys, std::min<std::int64_t>(1, num_tokens - 1));
  walk.show("attn_score_22", "W_22:", dot(query_2, key_of_2));

  const Tensor keys_transposed = t(keys);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores_2 = matmul(query_2, keys_transposed);
  walk.show("attn_scores_2", "", attn_scores_2);
  const Tensor scaled_attn_scores_2 = scaled(lesson, walk, attn_scores_2, keys, "scaled_attn_scores_2");
  const Tensor attn_weights_2 = softmax(lesson, scaled_attn_scores_2);
  walk.show("attn_weights_2", "", attn_weights_2);
  walk.show("context_vec_2", "", matmul(attn_weights_2, values));
}

}  // namespace

void trainable(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  one_query(lesson, torch, walk);

  walk.section("self_attention");
  const Tensor inputs = seeded_inputs(lesson, torch);
  walk.extra("inputs", inputs, "inputs");
  const auto W = make_projections(lesson, torch, inputs.size(-1), as_module);
  W.show_extra(walk);
  self_attention(lesson, walk, W, inputs, "context vectors\n");
}

}  // namespace attn::chapters::primer
