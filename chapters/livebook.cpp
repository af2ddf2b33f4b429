#include <algorithm>
#include <array>
#include <vector>

#include "chapters/attention.hpp"

namespace attn::chapters::livebook {
namespace {

void simplified(Program& p) {
  p.section("by_loop");
  const Tensor inputs = p.inputs();
  const Tensor x_2 = p.let("x_2", index(inputs, p.query(inputs)));
  p.show("attn_scores_2", "attention scores of the query\n", matvec(inputs, x_2));
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matvecs(inputs, inputs));

  p.section("by_matmul");
  p.show("attn_scores", "attention scores\n", matmul(inputs, t(inputs)));

  p.section("divided_by_sum");
  const Tensor attn_sums = p.show("attn_sums", "row sums of the scores\n", sum(attn_scores, true));
  const Tensor divided = p.show("attn_weights", "attention weights\n", divide(attn_scores, attn_sums));
  p.show("row_sums", "row sums\n", sum(divided));

  p.section("naive_softmax");
  const Tensor exp_scores = p.show("exp_attn_scores", "exponentials\n", exp(attn_scores));
  const Tensor exp_sums = p.show("exp_sums", "row sums of the exponentials\n", sum(exp_scores, true));
  const Tensor naive = p.show("attn_weights", "attention weights\n", divide(exp_scores, exp_sums));

  p.section("softmax");
  p.show("attn_weights", "attention weights\n", softmax(attn_scores));

  p.section("all_tokens");
  p.show("context_vecs", "context vectors\n", matmul(naive, inputs));
}

/// The page's fixed weights [3, 2], or drawn ones if the lesson sets other sizes or an initialisation.
Projections page_projections(Program& p, std::int64_t d_in) {
  const Lesson& lesson = p.lesson();
  const bool is_the_pages = !lesson.init && !lesson.d_out_kq && !lesson.d_out_v && !lesson.qkv_bias && !lesson.tokens &&
                            !lesson.d_in && d_in == 3;
  if (!is_the_pages) {
    return p.drawn_projections(d_in, {Init::rand, 2, 2});
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

void causal(Program& p) {
  p.section("renormalised");
  const Tensor inputs = p.inputs();
  const auto [W_query, W_key, W_value] = p.let(page_projections(p, inputs.size(-1)));
  const Tensor keys = p.show("keys", "keys\n", W_key(inputs));
  const Tensor queries = p.show("queries", "queries\n", W_query(inputs));
  causal_both_ways(p, queries, keys,
                   {.attn_scores = "attn_score\n",
                    .attn_weights = "attn_weights\n",
                    .mask_simple = "mask_simple\n",
                    .masked_simple = "masked\n",
                    .masked_simple_norm = "masked_norm\n",
                    .masked_attn_scores = "masked\n"});
}

void dropout(Program& p) {
  const double rate = p.dropout_rate(0.5);
  dropout_on_ones(p, rate);

  p.section("causal");
  const Tensor inputs = p.inputs();
  const auto [W_query, W_key, W_value] = p.let(page_projections(p, inputs.size(-1)));
  const Tensor keys = p.let("keys", W_key(inputs));
  const Tensor queries = p.let("queries", W_query(inputs));
  const Tensor values = p.let("values", W_value(inputs));
  const Tensor attn_scores = p.let("attn_scores", matmul(queries, t(keys)));
  const Tensor mask = p.let("mask", torch::causal_mask(inputs.size(0)), "mask.bool()");
  const Tensor masked_attn_scores = p.let("masked_attn_scores", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  const auto [dropout_mask, dropout_attn_weights] = p.dropout(attn_weights, rate);
  p.show("dropout_mask", "keep mask\n", dropout_mask);
  p.show("dropout_attn_weights", "dropout attention weights\n", dropout_attn_weights);
  p.show("row_sums", "row sums\n", sum(dropout_attn_weights));
  p.show("context_vecs", "context vectors\n", matmul(dropout_attn_weights, values));
}

/// One head with its own weights: batch [b, tokens, d_in] -> [b, tokens, d_out].
Tensor single_head(Program& p, const Tensor& batch) {
  const auto [W_query, W_key, W_value] = p.projections(batch.size(-1), {Init::rand, 2, 2});
  const Tensor keys = p.show("keys", "keys\n", W_key(batch));
  const Tensor queries = p.show("queries", "queries\n", W_query(batch));
  const Tensor values = p.show("values", "values\n", W_value(batch));
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, transpose(keys, 1, 2)));
  const Tensor mask = p.let("mask", torch::causal_mask(batch.size(1)), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  return p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));
}

/// One projection split among the heads: batch [b, tokens, d_in] -> [b, tokens, d_out].
void split_heads(Program& p, const Tensor& batch, std::int64_t num_heads, std::int64_t default_d_out) {
  p.seeded_inputs();
  const auto [W_query, W_key, W_value] = p.projections(batch.size(-1), {Init::rand, default_d_out, default_d_out});
  const std::int64_t d_out = W_value.d_out();
  const Projection out_proj = p.projection("out_proj", Init::rand, d_out, d_out);
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
  // The page divides by the root of d_out, not of head_dim.
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  const Tensor context_vec =
      p.show("context_vec", "context vectors of every head\n", transpose(matmul(attn_weights, values_heads), 1, 2));
  const Tensor context_vecs =
      p.let("context_vecs", view(contiguous(context_vec), {batch.size(0), batch.size(1), d_out}));
  p.show("output", "output\n", out_proj(context_vecs));
}

void multihead(Program& p) {
  p.section("inputs");
  const Tensor batch = p.batch(p.inputs(), 2);
  const std::int64_t num_heads = p.num_heads(2);
  for (const std::int64_t d_out : {4, 2}) {
    check_heads_divide(num_heads, p.lesson().d_out_kq.value_or(d_out), p.lesson().d_out_v.value_or(d_out));
  }
  check_heads_listable(num_heads);

  std::vector<Tensor> heads;
  for (std::int64_t head = 1; head <= num_heads; ++head) {
    p.section("head_" + std::to_string(head));
    heads.push_back(single_head(p, batch));
  }
  p.section("stacked");
  p.show("context_vecs", "stacked heads\n", cat(heads));

  p.section("split_4");
  split_heads(p, batch, num_heads, 4);
  p.section("split_2");
  split_heads(p, batch, num_heads, 2);
}

constexpr Chapter chapters[] = {
    {"simplified",
     &article,
     simplified,
     "6 tokens, d_in 3",
     "weights three ways: divided by the sum, naive softmax, softmax",
     {.query = true}},
    {"trainable",
     &article,
     trainable,
     "6 tokens, d_in 3, d_out 2",
     "the page's own 3x2 weights, unless sizes or --init are given",
     {.query = true, .projections = true},
     Init::rand},
    {"causal",
     &article,
     causal,
     "6 tokens, d_in 3, d_out 2",
     "masked and renormalised; then -inf; the page's own 3x2 weights",
     {.projections = true},
     Init::rand},
    {"dropout",
     &article,
     dropout,
     "6 tokens, d_in 3, d_out 2",
     "0.5 on ones(6, 6); then on the causal weights",
     {.projections = true, .dropout = true},
     Init::rand},
    {"multihead",
     &article,
     multihead,
     "batch 2, 6 tokens, d_in 3, 2 heads",
     "stacked heads; then split ones of d_out 4 and 2, without out_proj bias",
     {.projections = true, .batch = true, .heads = true, .shared_d_out = true},
     Init::rand},
};

constexpr Meaning meanings[] = {
    {"multihead:split_*/scaled_attn_scores", scaling_of_heads,
     " This page divides by the square root of d_out; the usual choice is head_dim, the number of products in each "
     "score."},
    {"multihead:head_*/attn_weights", weights_of_a_head},
};

}  // namespace

const Article article = {
    .name = "livebook",
    .title = "Chapter 3: Coding Attention Mechanisms",
    .cpu = Cpu::avx2,
    .generator = "Nx",
    .sentence = "Your journey starts with one step",
    .chapters = chapters,
    .meanings = meanings,
};

}  // namespace attn::chapters::livebook
