#include "chapters/attention.hpp"
#include "chapters/blog/blog.hpp"

namespace attn::chapters::blog {
namespace {

void one_query(Program& p) {
  p.section("one_query");
  const Tensor inputs = p.inputs();
  const Tensor x_2 = p.let("x_2", index(inputs, p.query(inputs)));
  const std::int64_t d_in = inputs.size(-1);
  const auto [W_query, W_key, W_value] = p.drawn_projections(d_in, {Init::rand, d_in, d_in});
  p.show_weight("Query Trainable Weigth", W_query);  // the page's spelling
  p.show_weight("Key Trainable Weight", W_key);
  p.show_weight("Value Trainable Weigth", W_value);
  const Tensor query_2 = p.show("query_2", "Query vector\n", W_query(x_2));
  p.show("key_2", "Key vector\n", W_key(x_2));
  p.show("value_2", "Value vector\n", W_value(x_2));

  const Tensor keys = p.show("keys", "keys\n", W_key(inputs));
  const Tensor values = p.show("values", "values\n", W_value(inputs));
  const Tensor attn_scores_2 = p.show("attn_scores_2", "attention scores\n", matmul(query_2, t(keys)));
  const Tensor attn_weights_2 = p.show("attn_weights_2", "attention weights\n", softmax(scale(attn_scores_2, keys)));
  p.show("context_vec_2", "context vector\n", matmul(attn_weights_2, values));
}

void as_module(Program& p) {
  p.section("self_attention");
  const Tensor inputs = p.inputs_again();
  const std::int64_t d_in = inputs.size(-1);
  const Projections W = p.projections(d_in, {Init::linear, d_in, d_in});
  self_attention(p, W, inputs, "context vectors\n");
}

}  // namespace

void trainable(Program& p) {
  one_query(p);
  as_module(p);
}

}  // namespace attn::chapters::blog
