#include <algorithm>

#include "chapters/attention.hpp"

namespace attn::chapters::primer {
namespace {

void simplified(Program& p) {
  p.section("one_query");
  const Tensor inputs = p.inputs();
  const Tensor query_2 = p.let("query_2", index(inputs, p.query(inputs)));
  const Tensor attn_scores_2 = p.show("attn_scores_2", "", dots(inputs, query_2));
  const Tensor attn_weights_2 = p.show("attn_weights_2", "attention weights\n", softmax(attn_scores_2));
  p.show("context_vec_2", "", weighted_sum(attn_weights_2, inputs));

  p.section("all_tokens");
  const Tensor attn_scores = p.show("attn_scores", "Attention Scores:\n", matmul(inputs, t(inputs)));
  const Tensor attn_weights = p.show("attn_weights", "Attention Weights:\n", softmax(attn_scores));
  p.show("context_vecs", "", matmul(attn_weights, inputs));
}

constexpr ProjectionDefaults by_hand = {.init = Init::randn, .d_out_kq = 2, .d_out_v = 2, .key_first = true};
constexpr ProjectionDefaults as_module = {Init::linear, 2, 2};

void one_query(Program& p) {
  p.section("one_query");
  const Tensor inputs = p.inputs();
  const Tensor x_2 = p.let("x_2", index(inputs, p.query(inputs)));
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), by_hand);
  const Tensor query_2 = p.show("query_2", "query_2\n", W_query(x_2));
  p.show("key_2", "key_2\n", W_key(x_2));
  p.show("value_2", "value_2\n", W_value(x_2));
  const Tensor keys = p.let("keys", W_key(inputs));
  const Tensor values = p.let("values", W_value(inputs));

  const std::int64_t num_tokens = inputs.size(0);
  const std::int64_t first_four = std::min<std::int64_t>(4, num_tokens);
  for (std::int64_t i = 0; i < first_four; ++i) {
    p.show("w_2" + std::to_string(i + 1), "", dot(query_2, index(keys, i)));
    p.end_line(i + 1 < first_four ? " " : "\n");
  }
  p.size("keys", "keys.shape:", keys);
  p.size("values", "values.shape:", values);
  p.show("attn_score_22", "W_22:", dot(query_2, index(keys, std::min<std::int64_t>(1, num_tokens - 1))));

  const Tensor attn_scores_2 = p.show("attn_scores_2", "", matmul(query_2, t(keys)));
  const Tensor attn_weights_2 = p.show("attn_weights_2", "", softmax(scale(attn_scores_2, keys)));
  p.show("context_vec_2", "", matmul(attn_weights_2, values));
}

void trainable(Program& p) {
  one_query(p);

  p.section("self_attention");
  const Tensor inputs = p.inputs_again();
  const Projections W = p.projections(inputs.size(-1), as_module);
  self_attention(p, W, inputs, "context vectors\n");
}

constexpr Chapter chapters[] = {
    {"simplified", &article, simplified, "6 tokens, d_in 3", "journey by loop, then all tokens", {.query = true}},
    {"trainable",
     &article,
     trainable,
     "6 tokens, d_in 3, d_out 2",
     "torch.randn, drawn key, query, value; then an nn.Linear module",
     {.query = true, .projections = true}},
};

}  // namespace

const Article article = {
    .name = "primer",
    .title = "Attention",
    .cpu = Cpu::avx2,
    .sentence = "Your journey starts with one step",
    .chapters = chapters,
};

}  // namespace attn::chapters::primer
