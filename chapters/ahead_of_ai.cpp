#include <algorithm>
#include <vector>

#include "chapters/attention.hpp"

namespace attn::chapters::ahead_of_ai {
namespace {

using enum Slip::Where;

constexpr ProjectionDefaults sizes = {Init::rand, 2, 4};

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

void trainable(Program& p) {
  const Tensor embedded = one_query(p);

  p.section("self_attention");
  const Tensor inputs = p.let("inputs", p.seeded_again(embedded), "inputs");
  const Projections W = p.projections(inputs.size(-1), sizes);
  self_attention(p, W, inputs, "");
}

void causal(Program& p) {
  p.section("renormalised");
  const Tensor inputs = p.embedded_sentence(false);
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), {Init::rand, 2, 4});
  const Tensor keys = p.let("keys", W_key(inputs));
  const Tensor queries = p.let("queries", W_query(inputs));
  p.let("values", W_value(inputs));
  causal_both_ways(p, queries, keys, {.attn_scores = ""});
}

/// One SelfAttention head with its own weights: inputs [n, d_in] -> [n, d_out_v].
Tensor head(Program& p, const Tensor& inputs) {
  const Projections W = p.projections(inputs.size(-1), {Init::rand, 2, 1});
  return self_attention(p, W, inputs, "");
}

void multihead(Program& p) {
  p.section("single_head");
  const Tensor embedded = p.embedded_sentence(false);
  const Tensor single = head(p, embedded);

  const Tensor inputs = p.seeded_again(embedded);
  const std::int64_t num_heads = p.num_heads(4);
  check_heads_listable(num_heads);
  std::vector<Tensor> heads;
  for (std::int64_t i = 1; i <= num_heads; ++i) {
    p.section("head_" + std::to_string(i));
    heads.push_back(head(p, inputs));
  }
  p.section("stacked");
  const Tensor context_vecs = p.show("context_vecs", "", cat(heads));
  p.size("context_vecs", "context_vecs.shape:", context_vecs);
  p.show("both_agree", "the single head is the first:", all_close(single, slice(context_vecs, -1, 0, single.size(1))));
}

void cross(Program& p) {
  const Tensor inputs = p.embedded_sentence(true);
  p.size("inputs", "", inputs);

  const std::int64_t d_in = inputs.size(-1);
  const auto [W_query, W_key, W_value] = p.projections(d_in, {Init::rand, 2, 4});
  const Tensor second_input = p.second_inputs({8, d_in});
  p.size("inputs", "First input shape:", inputs);
  p.size("second_input", "Second input shape:", second_input);
  p.show("second_input", "second input\n", second_input);

  const Tensor queries = p.show("queries", "queries\n", W_query(inputs));
  const Tensor keys = p.show("keys", "keys\n", W_key(second_input));
  const Tensor values = p.show("values", "values\n", W_value(second_input));
  const Tensor context_vecs = p.show("context_vecs", "", matmul(attention_weights(p, queries, keys), values));
  p.size("context_vecs", "Output shape:", context_vecs);
}

constexpr Chapter chapters[] = {
    {"trainable",
     &article,
     trainable,
     "6 tokens, d_in 3, d_out_kq 2, d_out_v 4",
     "an embedded sentence; one query; then a module",
     {.query = true, .projections = true},
     Init::rand},
    {"causal",
     &article,
     causal,
     "6 tokens, d_in 3, d_out_kq 2, d_out_v 4",
     "masked and renormalised; then -inf",
     {.projections = true},
     Init::rand},
    {"multihead",
     &article,
     multihead,
     "6 tokens, d_in 3, d_out_kq 2, d_out_v 1, 4 heads",
     "one head; then four stacked heads",
     {.projections = true, .heads = true},
     Init::rand},
    {"cross",
     &article,
     cross,
     "6 and 8 tokens, d_in 3, d_out_kq 2, d_out_v 4",
     "an embedded sentence attends to torch.rand(8, 3)",
     {.projections = true, .second_inputs = true},
     Init::rand},
};

constexpr Slip slips[] = {
    {"cross", "context_vecs", "", always, "the article's listing says torch.randn, its numbers are torch.rand's"},
    {"causal", "mask_simple", "", other_shape, "the page's conversion lost a column, the mask is 6x6"},
    {"multihead", "context_vecs", "", missing_parenthesis, "the page lost the closing parenthesis"},
};

}  // namespace

const Article article = {
    .name = "ahead-of-ai",
    .title =
        "Understanding and Coding Self-Attention, Multi-Head Attention, Cross-Attention, and "
        "Causal-Attention in LLMs",
    .cpu = Cpu::standard,
    .sentence = "Life is short, eat dessert first",
    .chapters = chapters,
    .slips = slips,
};

}  // namespace attn::chapters::ahead_of_ai
