#include <algorithm>

#include "chapters/attention.hpp"
#include "chapters/book/book.hpp"

namespace attn::chapters::book {
namespace {

void one_query(Program& p) {
  p.section("one_query");
  const Tensor inputs = p.inputs();
  const Tensor x_2 = p.let("x_2", index(inputs, p.query(inputs)));
  const auto [W_query, W_key, W_value] =
      p.projections(inputs.size(-1), {.init = Init::rand, .d_out_kq = 2, .d_out_v = 2, .requires_grad = false});
  const Tensor query_2 = p.show("query_2", "", W_query(x_2));
  p.let("key_2", W_key(x_2));
  p.let("value_2", W_value(x_2));
  const Tensor keys = p.let("keys", W_key(inputs));
  const Tensor values = p.let("values", W_value(inputs));
  p.size("keys", "keys.shape:", keys);
  p.size("values", "values.shape:", values);
  const std::int64_t second = std::min<std::int64_t>(1, inputs.size(0) - 1);
  p.show("attn_score_22", "", dot(query_2, index(keys, second)));
  const Tensor attn_scores_2 = p.show("attn_scores_2", "", matmul(query_2, t(keys)));
  const Tensor attn_weights_2 = p.show("attn_weights_2", "", softmax(scale(attn_scores_2, keys)));
  p.show("context_vec_2", "", matmul(attn_weights_2, values));
}

}  // namespace

void trainable(Program& p) {
  one_query(p);

  p.section("self_attention_v1");
  const Tensor inputs = p.inputs_again();
  const Projections W = p.projections(inputs.size(-1), {.init = Init::rand, .d_out_kq = 2, .d_out_v = 2});
  self_attention(p, W, inputs, "");

  p.section("self_attention_v2");
  p.seed_with(v2_seed);
  const Tensor inputs_again = p.inputs_again();
  self_attention(p, p.projections(inputs.size(-1), v2_weights), inputs_again, "");
}

}  // namespace attn::chapters::book
