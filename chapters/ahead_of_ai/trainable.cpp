#include <algorithm>

#include "chapters/ahead_of_ai/ahead_of_ai.hpp"
#include "chapters/attention.hpp"

namespace attn::chapters::ahead_of_ai {
namespace {

constexpr ProjectionDefaults sizes = {.init = Init::rand, .d_out_kq = 2, .d_out_v = 4};

Tensor one_query(Program& p) {
  p.section("one_query");
  const Tensor inputs = p.embedded_sentence(true);
  p.size("inputs", "", inputs);
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), sizes);
  const Tensor x_2 = p.let("x_2", index(inputs, p.query(inputs)));
  const Tensor query_2 = p.let("query_2", W_query(x_2));
  const Tensor key_2 = p.let("key_2", W_key(x_2));
  const Tensor value_2 = p.let("value_2", W_value(x_2));
  p.size("query_2", "", query_2);
  p.size("key_2", "", key_2);
  p.size("value_2", "", value_2);
  const Tensor keys = p.let("keys", W_key(inputs));
  const Tensor values = p.let("values", W_value(inputs));
  p.size("keys", "keys.shape:", keys);
  p.size("values", "values.shape:", values);

  const std::int64_t fifth = std::min<std::int64_t>(4, inputs.size(0) - 1);
  p.show("omega_24", "", dot(query_2, index(keys, fifth)));
  const Tensor attn_scores_2 = p.show("attn_scores_2", "", matmul(query_2, t(keys)));
  const Tensor attn_weights_2 = p.show("attn_weights_2", "", softmax(scale(attn_scores_2, keys)));
  const Tensor context_vec_2 = p.size("context_vec_2", "", matmul(attn_weights_2, values));
  p.show("context_vec_2", "", context_vec_2);
  return inputs;
}

}  // namespace

void trainable(Program& p) {
  const Tensor embedded = one_query(p);

  p.section("self_attention");
  const Tensor inputs = p.let("inputs", p.seeded_again(embedded), "inputs");
  const Projections W = p.projections(inputs.size(-1), sizes);
  self_attention(p, W, inputs, "");
}

}  // namespace attn::chapters::ahead_of_ai
