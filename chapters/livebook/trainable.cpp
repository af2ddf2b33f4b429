#include <algorithm>
#include <array>
#include <vector>

#include "chapters/attention.hpp"
#include "chapters/livebook/livebook.hpp"

namespace attn::chapters::livebook {

Projections page_projections(Program& p, std::int64_t d_in) {
  const Lesson& lesson = p.lesson();
  const bool is_the_pages = !lesson.init && !lesson.d_out_kq && !lesson.d_out_v && !lesson.qkv_bias && !lesson.tokens &&
                            !lesson.d_in && d_in == 3;
  if (!is_the_pages) {
    return p.drawn_projections(d_in, {.init = Init::rand, .d_out_kq = 2, .d_out_v = 2});
  }
  using Rows = std::array<std::vector<float>, 3>;
  static const Rows query = {{{0.2961F, 0.5166F}, {0.2517F, 0.6886F}, {0.0740F, 0.8665F}}};
  static const Rows key = {{{0.1366F, 0.1025F}, {0.1841F, 0.7264F}, {0.3153F, 0.6871F}}};
  static const Rows value = {{{0.0756F, 0.1966F}, {0.3164F, 0.4017F}, {0.1186F, 0.8274F}}};
  return {Projection(torch::tensor(query), "W_query"), Projection(torch::tensor(key), "W_key"),
          Projection(torch::tensor(value), "W_value")};
}

void trainable(Program& p) {
  p.section("one_query");
  const Tensor inputs = p.inputs();
  const std::int64_t i_query = p.query(inputs);
  const Tensor x_2 = p.show("x_2", "x_2\n", index(inputs, i_query));
  const Projections W = page_projections(p, inputs.size(-1));
  const auto& [W_query, W_key, W_value] = W;
  p.show_weight("w_q", W_query);
  p.show_weight("w_k", W_key);
  p.show_weight("w_v", W_value);
  p.show("query_2", "query_2\n", W_query(x_2));
  p.show("key_2", "key_2\n", W_key(x_2));
  p.show("value_2", "value_2\n", W_value(x_2));
  const Tensor queries = p.show("queries", "queries\n", W_query(inputs));
  const Tensor keys = p.show("keys", "keys\n", W_key(inputs));
  const Tensor values = p.show("values", "values\n", W_value(inputs));
  const std::int64_t second = std::min<std::int64_t>(1, inputs.size(0) - 1);
  p.show("attn_score_22", "attn_score_22", dot(index(keys, second), index(queries, i_query)));
  const Tensor attn_scores_2 = p.show("attn_scores_2", "attn_score_2\n", matmul(index(queries, i_query), t(keys)));
  const Tensor attn_weights_2 = p.show("attn_weights_2", "attn_weights_2\n", softmax(scale(attn_scores_2, keys)));
  p.show("context_vec_2", "context_vec_2\n", matmul(attn_weights_2, values));

  p.section("self_attention");
  const Tensor context_vecs = self_attention(p, W, inputs, "context_vector\n");
  p.show("context_vec_2", "context_vector[" + std::to_string(i_query) + "]\n", index(context_vecs, i_query));
}

}  // namespace attn::chapters::livebook
