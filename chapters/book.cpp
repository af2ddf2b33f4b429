#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "chapters/attention.hpp"

namespace attn::chapters::book {
namespace {

/// The seed of the module v2; everything else uses 123.
constexpr torch::Seed v2_seed = 789;

/// Three nn.Linear(3, 2, bias=False).
constexpr ProjectionDefaults weights = {Init::linear, 2, 2};

void simplified(Program& p) {
  p.section("one_query");
  const Tensor inputs = p.inputs();
  const Tensor query = p.let("query", index(inputs, p.query(inputs)));
  const Tensor attn_scores_2 = p.show("attn_scores_2", "", dots(inputs, query));

  p.section("dot_product");
  p.show("res", "", dot_by_loop(index(inputs, 0), query));
  p.show("dot_product", "", dot(index(inputs, 0), query));

  p.section("divided_by_sum");
  const Tensor attn_scores_sum_2 = p.let("attn_scores_sum_2", sum(attn_scores_2));
  const Tensor attn_weights_2_tmp =
      p.show("attn_weights_2_tmp", "Attention weights:", divide(attn_scores_2, attn_scores_sum_2));
  p.show("attn_weights_sum_2", "Sum:", sum(attn_weights_2_tmp));

  p.section("naive_softmax");
  const Tensor exp_attn_scores_2 = p.let("exp_attn_scores_2", exp(attn_scores_2));
  const Tensor exp_sum_2 = p.let("exp_sum_2", sum(exp_attn_scores_2));
  const Tensor attn_weights_2_naive =
      p.show("attn_weights_2_naive", "Attention weights:", divide(exp_attn_scores_2, exp_sum_2));
  p.show("attn_weights_sum_2", "Sum:", sum(attn_weights_2_naive));

  p.section("softmax");
  const Tensor attn_weights_2 = p.show("attn_weights_2", "Attention weights:", softmax(attn_scores_2));
  p.show("attn_weights_sum_2", "Sum:", sum(attn_weights_2));

  p.section("weighted_sum");
  const Tensor context_vec_2 = p.show("context_vec_2", "", weighted_sum(attn_weights_2, inputs));

  p.section("by_loop");
  p.show("attn_scores", "", pairwise_dots(inputs, inputs));
  p.section("by_matmul");
  const Tensor attn_scores = p.show("attn_scores", "", matmul(inputs, t(inputs)));

  p.section("all_tokens");
  const Tensor attn_weights = p.show("attn_weights", "", softmax(attn_scores));
  p.show("row_sums", "All row sums:", sum(attn_weights));
  p.show("all_context_vecs", "", matmul(attn_weights, inputs));
  p.show("context_vec_2", "Previous 2nd context vector:", context_vec_2);
}

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

void trainable(Program& p) {
  one_query(p);

  p.section("self_attention_v1");
  const Tensor inputs = p.inputs_again();
  const Projections W = p.projections(inputs.size(-1), {Init::rand, 2, 2});
  self_attention(p, W, inputs, "");

  p.section("self_attention_v2");
  p.seed_with(v2_seed);
  const Tensor inputs_again = p.inputs_again();
  self_attention(p, p.projections(inputs.size(-1), weights), inputs_again, "");
}

/// The modules' dropout of the weights; not printed if the rate is 0.
Tensor dropped(Program& p, const Tensor& attn_weights) {
  const double rate = p.dropout_rate(0);
  const auto [dropout_mask, dropout_attn_weights] = p.dropout(attn_weights, rate);
  p.let("dropout_mask", dropout_mask, "keep mask");
  return p.show("dropout_attn_weights", "dropout attention weights\n", dropout_attn_weights, rate > 0);
}

/// The book's CausalAttention module: batch [b, tokens, d_in] -> context vectors [b, tokens, d_out_v], after dropout
/// with the lesson's rate, or none. `label` is printed before them.
Tensor causal_attention(Program& p, const Projections& W, const Tensor& batch, const std::string& label) {
  const Tensor keys = p.show("keys", "keys\n", W.W_key(batch));
  const Tensor queries = p.show("queries", "queries\n", W.W_query(batch));
  const Tensor values = p.show("values", "values\n", W.W_value(batch));
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, transpose(keys, 1, 2)));
  const Tensor mask = p.let("mask", torch::causal_mask(batch.size(1)), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  return p.show("context_vecs", label, matmul(dropped(p, attn_weights), values));
}

void causal(Program& p) {
  p.section("renormalised");
  p.seed_with(v2_seed);
  const Tensor inputs = p.inputs();
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), weights);
  const Tensor queries = p.let("queries", W_query(inputs));
  const Tensor keys = p.let("keys", W_key(inputs));
  causal_both_ways(p, queries, keys, {});

  p.section("causal_attention");
  p.seed_with(default_seed);
  const Tensor batch = p.size("batch", "", p.batch(p.inputs_again(), 2));
  const Projections W = p.projections(batch.size(-1), weights);
  const Tensor context_vecs = causal_attention(p, W, batch, "");
  p.size("context_vecs", "context_vecs.shape:", context_vecs);
}

void dropout(Program& p) {
  const double rate = p.dropout_rate(0.5);
  dropout_on_ones(p, rate, "");

  p.section("causal");
  p.seed_with(v2_seed);
  const Tensor inputs = p.inputs();
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), weights);
  const Tensor queries = p.let("queries", W_query(inputs));
  const Tensor keys = p.let("keys", W_key(inputs));
  const Tensor attn_scores = p.let("attn_scores", matmul(queries, t(keys)));
  const Tensor mask = p.let("mask", torch::causal_mask(inputs.size(0)), "mask.bool()");
  const Tensor masked_attn_scores = p.let("masked_attn_scores", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));

  p.seed_with(default_seed);
  p.manual_seed();
  const auto [dropout_mask, dropout_attn_weights] = p.dropout(attn_weights, rate);
  p.show("dropout_mask", "keep mask\n", dropout_mask);
  p.show("dropout_attn_weights", "", dropout_attn_weights);
}

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

constexpr Chapter chapters[] = {
    {"simplified",
     &article,
     simplified,
     "6 tokens, d_in 3",
     "weights three ways: divided by the sum, naive softmax, softmax; then all tokens",
     {.query = true}},
    {"trainable",
     &article,
     trainable,
     "6 tokens, d_in 3, d_out 2",
     "journey with torch.rand weights; as module v1; nn.Linear module v2, seed 789",
     {.query = true, .projections = true}},
    {"causal",
     &article,
     causal,
     "6 tokens, d_in 3, d_out 2; batch 2",
     "v2's weights, seed 789: masked and renormalised, then -inf; then a module",
     {.projections = true, .batch = true, .dropout = true}},
    {"dropout",
     &article,
     dropout,
     "6 tokens, d_in 3, d_out 2",
     "0.5 on ones(6, 6); then on the causal weights of v2, seed 789",
     {.projections = true, .dropout = true}},
    {"multihead",
     &article,
     multihead,
     "batch 2, 6 tokens, d_in 3, d_out 2, 2 heads",
     "stacked heads; split ones with out_proj; a product for two heads at once",
     {.projections = true, .batch = true, .dropout = true, .heads = true, .shared_d_out = true}},
};

constexpr std::string_view made_drawn = " A model learns them in training; these are random.";
constexpr std::string_view made_given = " A model learns them in training; these are given.";

constexpr Meaning meanings[] = {
    // simplified
    {"simplified:res",
     "A dot product multiplies the numbers at the same position and sums the products. Here a loop does so for the "
     "first token and the query."},
    {"dot_product", "The same two vectors, multiplied and summed by torch.dot: the loop's result, up to rounding."},
    {"attn_scores_sum_2",
     "Weights should sum to 1. The simplest way is to divide every score by the sum of all; this is the sum."},
    {"attn_weights_2_tmp",
     "Each score as a share of their sum. This works only if no score is negative; a sum near 0 would make the shares "
     "huge."},
    {"exp_sum_2", "The sum of the exponentials: dividing by it makes the weights sum to 1."},
    {"simplified:attn_weights_2",
     "The library's softmax subtracts the largest score before exponentiation. This changes no weight and prevents "
     "overflow."},
    {"all_tokens/row_sums",
     "A check: softmax divided each row by its own sum of exponentials, so every row should sum to 1."},
    {"all_tokens/context_vec_2",
     "The context vector computed earlier, for comparison: up to rounding, it is the query's row of the matrix above."},

    {"attn_weights_sum_2", "A check: attention weights should sum to 1."},

    // trainable
    {"one_query/W_query", query_weights, made_drawn, made_given},
    {"one_query/W_key", key_weights, made_drawn, made_given},
    {"one_query/W_value", value_weights, made_drawn, made_given},
    {"self_attention_*|causal_attention/inputs", "The ",
     "inputs of this section, which seeds again: its numbers do not depend on earlier draws. Random inputs are also "
     "drawn again.",
     "same inputs. This section seeds again: its draws do not depend on earlier ones."},
    {"self_attention_v1/context_vecs", "Each row is one token's context vector: a weighted sum of values.",
     " The weights come from the same seed as those by hand, so up to rounding the query's row equals the result "
     "there.",
     ""},

    // dropout
    {"dropout:causal/dropout_mask",
     "Which attention weights dropout keeps (True) and drops (False). The seed is set again first, so it drops the "
     "same positions as in the matrix of ones."},

    // multihead
    {"multihead:head_*/attn_weights", weights_of_a_head},
    {"a", "A small example of four axes: a batch of one, two heads, three tokens, four numbers for each token."},
    {"a_transposed",
     "The last two axes swapped: within each head, tokens become columns. Batch and heads stay where they are."},
    {"batched_matmul/res",
     "One product for all heads at once: the axes before the last two index separate matrices, and each is multiplied "
     "by its own partner."},
    {"first_head", "The first head alone: a matrix of three tokens with four numbers each."},
    {"first_head_transposed", "The first head's tokens as columns."},
    {"first_res",
     "The first head's product on its own: up to rounding, the first matrix of the product for all heads."},
    {"second_head", "The second head alone: three tokens, four other numbers each."},
    {"second_head_transposed", "The second head's tokens as columns."},
    {"second_res",
     "The second head's product on its own: up to rounding, the second matrix of the product for all heads. Heads do "
     "not mix."},
};

}  // namespace

const Article article = {
    .name = "book",
    .title = "Build a Large Language Model (From Scratch), chapter 3",
    .cpu = Cpu::avx2,
    .sentence = "Your journey starts with one step",
    .chapters = chapters,
    .meanings = meanings,
};

}  // namespace attn::chapters::book
