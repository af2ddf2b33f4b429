#include <array>
#include <vector>

#include "chapters/attention.hpp"
#include "chapters/book/book.hpp"

namespace attn::chapters::book {
namespace {

constexpr ProjectionDefaults weights = {.init = Init::linear, .d_out_kq = 2, .d_out_v = 2};

/// The book's MultiHeadAttentionWrapper: heads with separate weights, all drawn before the first head runs.
void stacked_heads(Program& p, const Tensor& batch, std::int64_t num_heads) {
  std::vector<Projections> modules;
  for (std::int64_t head = 0; head < num_heads; ++head) {
    modules.push_back(p.drawn_projections(batch.size(-1), weights));
  }
  std::vector<Tensor> heads;
  for (const Projections& module : modules) {
    p.section("head_" + std::to_string(heads.size() + 1));
    heads.push_back(causal_attention(p, p.let(module), batch, "context vectors\n"));
  }
  p.section("stacked");
  const Tensor context_vecs = p.show("context_vecs", "", cat(heads));
  p.size("context_vecs", "context_vecs.shape:", context_vecs);
}

/// The book's MultiHeadAttention: one projection split among the heads.
void split_heads(Program& p, const Tensor& batch, std::int64_t num_heads) {
  p.section("split");
  p.seeded_inputs();
  const auto [W_query, W_key, W_value] = p.projections(batch.size(-1), weights);
  const std::int64_t d_out = W_value.d_out();
  const torch::Linear out_proj = p.linear("out_proj", d_out, d_out);

  const Tensor keys = p.show("keys", "keys\n", W_key(batch));
  const Tensor queries = p.show("queries", "queries\n", W_query(batch));
  const Tensor values = p.show("values", "values\n", W_value(batch));
  const Tensor keys_heads = p.let("keys_heads", split(keys, num_heads));
  const Tensor queries_heads = p.let("queries_heads", split(queries, num_heads));
  const Tensor values_heads = p.let("values_heads", split(values, num_heads));

  const Tensor attn_scores =
      p.show("attn_scores", "attention scores\n", matmul(queries_heads, transpose(keys_heads, 2, 3)));
  const Tensor mask = p.let("mask", torch::causal_mask(batch.size(1)), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights =
      p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys_heads)));

  const Tensor context_vec = p.show("context_vec", "context vectors of every head\n",
                                    transpose(matmul(dropped(p, attn_weights), values_heads), 1, 2));
  const Tensor joined_heads =
      p.let("joined_heads", view(contiguous(context_vec), {batch.size(0), batch.size(1), d_out}));
  const Tensor context_vecs = p.show("context_vecs", "", out_proj(joined_heads));
  p.size("context_vecs", "context_vecs.shape:", context_vecs);
}

/// One batch entry with two heads of three tokens, four numbers each: one product for all heads, then head by head.
void each_head_alone(Program& p) {
  constexpr std::array numbers = {0.2745F, 0.6584F, 0.2775F, 0.8573F, 0.8993F, 0.0390F, 0.9268F, 0.7388F,
                                  0.7179F, 0.7058F, 0.9156F, 0.4340F, 0.0772F, 0.3565F, 0.1479F, 0.5331F,
                                  0.4066F, 0.2318F, 0.4545F, 0.9737F, 0.4606F, 0.5159F, 0.4220F, 0.5786F};
  p.section("batched_matmul");
  const Tensor a = p.let("a", p.tensor(numbers, {1, 2, 3, 4}), "a");
  const Tensor a_transposed = p.let("a_transposed", transpose(a, 2, 3));
  p.show("res", "", matmul(a, a_transposed));

  const Tensor first_head = p.let("first_head", index(index(a, 0), 0));
  const Tensor first_head_transposed = p.let("first_head_transposed", t(first_head));
  p.show("first_res", "First head:\n", matmul(first_head, first_head_transposed));

  const Tensor second_head = p.let("second_head", index(index(a, 0), 1));
  const Tensor second_head_transposed = p.let("second_head_transposed", t(second_head));
  p.show("second_res", "\nSecond head:\n", matmul(second_head, second_head_transposed));
}

}  // namespace

void multihead(Program& p) {
  p.section("inputs");
  const Tensor batch = p.batch(p.inputs(), 2);
  const std::int64_t num_heads = p.num_heads(2);
  check_heads_divide(num_heads, p.lesson().d_out_kq.value_or(2), p.lesson().d_out_v.value_or(2));
  check_heads_listable(num_heads);

  stacked_heads(p, batch, num_heads);
  split_heads(p, batch, num_heads);
  each_head_alone(p);
}

}  // namespace attn::chapters::book
