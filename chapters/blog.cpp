#include "chapters/attention.hpp"

namespace attn::chapters::blog {
namespace {

using enum Slip::Where;

void simplified(Program& p) {
  p.section("one_query");
  const Tensor inputs = p.inputs();
  const Tensor query_2 = p.let("query_2", index(inputs, p.query(inputs)));
  const Tensor attn_scores_2 = p.show("attn_scores_2", "", dots(inputs, query_2));
  const Tensor attn_weights_2 = p.show("attn_weights_2", "Attention weights:", softmax(attn_scores_2));
  p.show("attn_weights_sum_2", "Sum:", sum(attn_weights_2));
  p.show("context_vec_2", "", weighted_sum(attn_weights_2, inputs));

  p.section("all_tokens");
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(inputs, t(inputs)));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(attn_scores));
  p.show("context_vecs", "context vectors\n", matmul(attn_weights, inputs));
}

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

void trainable(Program& p) {
  one_query(p);
  as_module(p);
}

/// The operands of the context vectors: weights [batch, tokens, tokens] after dropout, values
/// [batch, tokens, d_out_v].
struct WeightsAndValues {
  Tensor dropout_attn_weights;
  Tensor values;
};

/// The tensors of CausalAttention that the article prints.
enum class Prints { everything, weights_and_dropout };

/// The blog's CausalAttention on a batch, up to the weights after dropout with rate `rate`.
WeightsAndValues causal_attention(Program& p, double rate, Prints prints) {
  const bool all = prints == Prints::everything;
  const Tensor inputs = p.inputs();
  const Tensor batch = p.batch(inputs, 2);
  const std::int64_t d_in = inputs.size(-1);
  const auto [W_query, W_key, W_value] = p.projections(d_in, {Init::linear, d_in, d_in});

  const Tensor keys = p.show("keys", "keys\n", W_key(batch), all);
  const Tensor queries = p.show("queries", "queries\n", W_query(batch), all);
  const Tensor values = p.show("values", "values\n", W_value(batch), all);

  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, transpose(keys, 1, 2)), all);
  const Tensor mask = p.let("mask", torch::causal_mask(inputs.size(0)), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity), all);
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));

  const auto [dropout_mask, dropout_attn_weights] = p.dropout(attn_weights, rate);
  p.show("dropout_mask", "keep mask\n", dropout_mask, !all);
  p.show("dropout_attn_weights", "dropout attention weights\n", dropout_attn_weights);
  return {dropout_attn_weights, values};
}

void causal(Program& p) {
  const auto [attn_weights, values] = causal_attention(p, p.dropout_rate(0.2), Prints::everything);
  const Tensor context_vecs = p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));
  p.size("context_vecs", "context_vecs.shape:", context_vecs);
}

void dropout(Program& p) {
  dropout_on_ones(p, p.dropout_rate(0.5));

  p.section("causal");
  const auto [attn_weights, values] = causal_attention(p, p.dropout_rate(0.2), Prints::weights_and_dropout);
  p.show("row_sums", "row sums\n", sum(attn_weights));
  p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));
}

void multihead(Program& p) {
  const Tensor inputs = p.inputs();
  const Tensor batch = p.batch(inputs, 1);
  const std::int64_t b = batch.size(0);
  const std::int64_t num_tokens = batch.size(1);
  const std::int64_t num_heads = p.num_heads(3);
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), {Init::linear, 3, 3});
  check_heads_divide(num_heads, W_key.d_out(), W_value.d_out());
  const std::int64_t d_out = W_value.d_out();
  const torch::Linear out_proj = p.linear("out_proj", d_out, d_out);

  const Tensor keys = p.show("keys", "keys", W_key(batch));
  const Tensor queries = p.show("queries", "queries\n", W_query(batch));
  const Tensor values = p.show("values", "values\n", W_value(batch));

  const Tensor keys_view = p.size("keys", "keys\n", view(keys, {b, num_tokens, num_heads, W_key.d_out() / num_heads}));
  const Tensor values_view = view(values, {b, num_tokens, num_heads, d_out / num_heads});
  const Tensor queries_view = view(queries, {b, num_tokens, num_heads, W_query.d_out() / num_heads});
  const Tensor keys_heads = p.size("keys_heads", "keys transpose\n", transpose(keys_view, 1, 2));
  const Tensor queries_heads = transpose(queries_view, 1, 2);
  const Tensor values_heads = transpose(values_view, 1, 2);
  p.let("keys_heads", keys_heads);
  p.let("queries_heads", queries_heads);
  p.let("values_heads", values_heads);

  const Tensor keys_transposed = p.size("keys_transposed", "attn_score keys transpose\n", transpose(keys_heads, 2, 3));
  const Tensor attn_scores = matmul(queries_heads, keys_transposed);
  p.size("attn_scores", "attn_scores\n", attn_scores);
  p.show("attn_scores", "attention scores\n", attn_scores);

  const Tensor mask = p.show("mask", "mask_bool:\n", torch::causal_mask(num_tokens));
  p.size("attn_weights", "attn_weights\n", attn_scores);
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights =
      p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys_heads)));

  const double rate = p.dropout_rate(0);
  const auto [dropout_mask, dropout_attn_weights] = p.dropout(attn_weights, rate);
  p.let("dropout_mask", dropout_mask, "keep mask");
  p.show("dropout_attn_weights", "dropout attention weights\n", dropout_attn_weights, rate > 0);

  const Tensor context_vec = transpose(matmul(dropout_attn_weights, values_heads), 1, 2);
  p.size("context_vec", "context_vec shape:\n", context_vec);
  p.show("context_vec", "context_vec:\n", context_vec);
  const Tensor context_vecs = p.let("context_vecs", view(contiguous(context_vec), {b, num_tokens, d_out}));
  const Tensor output = p.show("output", "output:\n", out_proj(context_vecs));
  p.size("output", "output.shape:\n", output);
}

constexpr Chapter chapters[] = {
    {"simplified", &article, simplified, "6 tokens, d_in 3", "journey by loop, then all tokens", {.query = true}},
    {"trainable",
     &article,
     trainable,
     "6 tokens, d_in 3, d_out 3",
     "journey with torch.rand weights; then, reseeded, an nn.Linear module",
     {.query = true, .projections = true}},
    {"causal",
     &article,
     causal,
     "batch 2, 6 tokens, d_in 3, d_out 3",
     "dropout 0.2",
     {.projections = true, .batch = true, .dropout = true}},
    {"dropout",
     &article,
     dropout,
     "batch 2, 6 tokens, d_in 3, d_out 3",
     "0.5 on ones(6, 6); then 0.2 on the causal weights",
     {.projections = true, .batch = true, .dropout = true}},
    {"multihead",
     &article,
     multihead,
     "batch 1, 6 tokens, d_in 3, d_out 3, 3 heads",
     "no dropout; out_proj with bias",
     {.projections = true, .batch = true, .dropout = true, .heads = true, .shared_d_out = true}},
};

constexpr Slip slips[] = {
    {"trainable", "W_query", "Key Trainable", always, "the article's listing prints W_query under W_key's name"},
    {"trainable", "W_query", "Value Trainable", always, "the article's listing prints W_query under W_value's name"},
    {"causal", "attn_weights", "attention weights", always,
     "the article's listing prints attn_scores under this label, its page shows the weights"},
    {"causal", "dropout_attn_weights", "dropout attention weights", always,
     "the article shows this tensor, its listing does not print it"},
    {"causal", "keys_transposed", "", no_grad_fn,
     "the article shows this tensor without grad_fn, its program does not print it"},
    {"multihead", "output", "output:", always, "the article shows this label, its listing does not print it"},
};

}  // namespace

const Article article = {
    .name = "blog",
    .title = "Build a LLM from scratch: Attention Mechanism",
    .cpu = Cpu::avx2,
    .sentence = "Your journey starts with one step",
    .chapters = chapters,
    .slips = slips,
};

}  // namespace attn::chapters::blog
