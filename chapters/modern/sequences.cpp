#include <algorithm>
#include <vector>

#include "chapters/attention.hpp"
#include "chapters/modern/modern.hpp"

namespace attn::chapters::modern {
namespace {

void check_tokens_listable(std::int64_t num_tokens) {
  constexpr std::int64_t most = 1000;
  if (num_tokens > most) {
    throw LessonError("average with " + std::to_string(num_tokens) +
                      " tokens: each token has its own steps; use up to " + std::to_string(most) + "; try --tokens 6");
  }
}

void check_valid_length(std::int64_t valid_length, std::int64_t num_tokens) {
  if (valid_length > num_tokens) {
    throw LessonError("--valid-length " + std::to_string(valid_length) + " is more than the " +
                      std::to_string(num_tokens) + (num_tokens == 1 ? " token" : " tokens") +
                      " of a sequence; use 1 to " + std::to_string(num_tokens) + "; or give more tokens");
  }
}

constexpr ProjectionDefaults weights = {Init::linear, 2, 2};

void check_new_tokens(std::int64_t num_new, std::int64_t num_tokens) {
  if (num_new >= num_tokens) {
    const bool is_one = num_tokens == 1;
    throw LessonError(
        "--new-tokens " + std::to_string(num_new) + " leaves no prompt of " + std::to_string(num_tokens) +
        (is_one ? " token; use 2 or more tokens" : " tokens; use 1 to " + std::to_string(num_tokens - 1)) + "; or " +
        (is_one ? "leave --new-tokens out" : "give more tokens"));
  }
}

/// The causal attention of the last tokens, whose queries these are, over all tokens so far.
Tensor attention(Program& p, const Tensor& queries, const Tensor& keys, const Tensor& values,
                 const std::string& name = "context_vecs") {
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, t(keys)));
  const std::int64_t earlier = keys.size(0) - queries.size(0);
  const Tensor mask = p.show("mask", "mask\n", torch::mask_above(queries.size(0), keys.size(0), earlier + 1));
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  return p.show(name, "context vectors\n", matmul(attn_weights, values));
}

void check_blocks_listable(std::int64_t num_tokens, std::int64_t block_size) {
  constexpr std::int64_t most = 1000;
  if ((num_tokens + block_size - 1) / block_size > most) {
    throw LessonError("online with " + std::to_string(num_tokens) + " tokens in blocks of " +
                      std::to_string(block_size) + ": each block has its own steps; use up to " + std::to_string(most) +
                      " blocks; try --block-size " + std::to_string((num_tokens + most - 1) / most));
  }
}

/// What is known of each query's row after some blocks of keys.
struct Running {
  Tensor row_max;
  Tensor row_sum;
  Tensor weighted_values;
};

}  // namespace

/// The mean of each token and all before it: by a loop, by a matrix of averages, by softmax of masked zeros.
void average(Program& p) {
  p.section("by_loop");
  const Tensor inputs = p.inputs();
  const std::int64_t num_tokens = inputs.size(0);
  check_tokens_listable(num_tokens);
  std::vector<Tensor> means;
  for (std::int64_t count = 1; count <= num_tokens; ++count) {
    const std::string number = std::to_string(count);
    const Tensor total = p.let("sum_" + number, sum(slice(inputs, 0, 0, count), false, -2));
    means.push_back(p.show("mean_" + number, "mean of the first " + number + ":",
                           divide(total, static_cast<double>(count), number)));
  }
  const Tensor by_loop = p.show("context_vecs", "context vectors\n", stack(means, 0));

  p.section("by_matrix");
  const Tensor mask_simple = p.show("mask_simple", "ones up to each token\n", torch::lower_triangle(num_tokens));
  const Tensor row_sums = p.show("row_sums", "row sums\n", sum(mask_simple, true));
  const Tensor averages = p.show("attn_weights", "attention weights\n", divide(mask_simple, row_sums));
  const Tensor by_matrix = p.show("context_vecs", "context vectors\n", matmul(averages, inputs));
  p.show("both_agree", "loop and matrix agree:", all_close(by_loop, by_matrix));

  p.section("by_softmax");
  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", torch::token_zeros(num_tokens));
  const Tensor mask = p.let("mask", torch::causal_mask(num_tokens), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(masked_attn_scores));
  const Tensor by_softmax = p.show("context_vecs", "context vectors\n", matmul(attn_weights, inputs));
  p.show("both_agree", "matrix and softmax agree:", all_close(by_matrix, by_softmax));
}

/// Sequences of different length in one batch: keys beyond a sequence's valid length are masked. Formula: Zhang et al.,
/// "Dive into Deep Learning", section 11.3.
void padding(Program& p) {
  const Tensor batch = p.batch(p.inputs(), 2);
  const std::int64_t num_tokens = batch.size(1);
  const std::int64_t valid_length = p.own_size("valid-length", std::max<std::int64_t>(num_tokens - 2, 1));
  check_valid_length(valid_length, num_tokens);
  std::vector<std::int64_t> valid_lengths(static_cast<std::size_t>(batch.size(0)), num_tokens);
  if (p.lesson().fixture) {
    valid_lengths.front() = std::max<std::int64_t>(num_tokens - 1, 1);  // a mask that is left out there shows as well
  }
  valid_lengths.back() = valid_length;
  const auto [W_query, W_key, W_value] = p.projections(batch.size(-1), {Init::linear, 2, 2});
  const Tensor queries = p.show("queries", "queries\n", W_query(batch));
  const Tensor keys = p.show("keys", "keys\n", W_key(batch));
  const Tensor values = p.show("values", "values\n", W_value(batch));

  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, transpose(keys, 1, 2)));
  const Tensor mask = p.show("mask", "mask\n", torch::padding_mask(valid_lengths, attn_scores));
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, keys)));
  p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));
}

/// Decoding with a cache: the keys and values of earlier tokens are kept, and only those of new tokens are computed.
void cache(Program& p) {
  p.section("prompt");
  const Tensor inputs = p.inputs();
  const std::int64_t num_tokens = inputs.size(0);
  const std::int64_t num_new = p.own_size("new-tokens", std::min<std::int64_t>(num_tokens - 1, 2));
  check_new_tokens(num_new, num_tokens);
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), weights);
  const Tensor prompt = p.show("prompt", "prompt\n", slice(inputs, 0, 0, num_tokens - num_new));
  const Tensor queries = p.show("queries", "queries\n", W_query(prompt));
  const Tensor cached_keys = p.show("cached_keys", "keys, to be cached\n", W_key(prompt));
  const Tensor cached_values = p.show("cached_values", "values, to be cached\n", W_value(prompt));
  attention(p, queries, cached_keys, cached_values);

  if (num_new == 0) {  // of one token
    return;
  }
  p.section("new_tokens");
  const Tensor new_tokens = p.show("new_tokens", "new tokens\n", slice(inputs, 0, num_tokens - num_new, num_tokens));
  const Tensor new_queries = p.show("new_queries", "queries of the new tokens\n", W_query(new_tokens));
  const Tensor new_keys = p.show("new_keys", "keys of the new tokens\n", W_key(new_tokens));
  const Tensor new_values = p.show("new_values", "values of the new tokens\n", W_value(new_tokens));
  const Tensor keys = p.show("keys", "keys, cached and new\n", cat({cached_keys, new_keys}, 0));
  const Tensor values = p.show("values", "values, cached and new\n", cat({cached_values, new_values}, 0));
  const Tensor new_context_vecs = attention(p, new_queries, keys, values, "new_context_vecs");

  p.section("at_once");
  const Tensor all_keys = p.show("keys", "keys\n", W_key(inputs));
  const Tensor all_queries = p.show("queries", "queries\n", W_query(inputs));
  const Tensor all_values = p.show("values", "values\n", W_value(inputs));
  const Tensor context_vecs = attention(p, all_queries, all_keys, all_values);
  p.show("both_agree", "cached and at once agree:",
         all_close(slice(context_vecs, 0, num_tokens - num_new, num_tokens), new_context_vecs));
}

/// Softmax over blocks of keys, as fused kernels compute it: no row of scores is ever whole. Formula: Milakov and
/// Gimelshein, "Online normalizer calculation for softmax", 2018; Dao et al., "FlashAttention", 2022.
void online(Program& p) {
  p.section("at_once");
  const Tensor inputs = p.inputs();
  const std::int64_t num_tokens = inputs.size(0);
  const std::int64_t block_size = p.own_size("block-size", 2);
  check_blocks_listable(num_tokens, block_size);
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), {Init::randn, 2, 2});
  const Tensor queries = p.show("queries", "queries\n", W_query(inputs));
  const Tensor keys = p.show("keys", "keys\n", W_key(inputs));
  const Tensor values = p.show("values", "values\n", W_value(inputs));
  const Tensor all_scores = p.show("attn_scores", "attention scores\n", matmul(queries, t(keys)));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(all_scores, keys)));
  const Tensor at_once = p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));

  std::optional<Running> before;
  for (std::int64_t first = 0; first < num_tokens; first += block_size) {
    const std::string block = std::to_string(first / block_size + 1);
    p.section("block_" + block);
    const std::int64_t end = std::min(first + block_size, num_tokens);
    const Tensor block_keys = p.show("block_keys", "keys of the block\n", slice(keys, 0, first, end));
    const Tensor block_values = p.show("block_values", "values of the block\n", slice(values, 0, first, end));
    const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, t(block_keys)));
    const Tensor scaled = p.let("scaled_attn_scores", scale(attn_scores, block_keys));
    Tensor row_max = amax(scaled);
    if (before) {
      row_max = maximum(before->row_max, p.show("block_max", "maximum of the block\n", row_max));
    }
    p.show("row_max_" + block, "maximum so far\n", row_max);
    const Tensor exps =
        p.show("exps_" + block, "exponentials\n", exp(p.let("shifted_scores", subtract(scaled, row_max))));
    Tensor row_sum = sum(exps, true);
    Tensor weighted_values = matmul(exps, block_values);
    if (before) {
      p.let("block_sum", row_sum);
      p.let("block_weighted", weighted_values);
      const Tensor max_change = p.let("max_change", subtract(before->row_max, row_max));
      const Tensor rescale = p.show("rescale", "factor for earlier blocks\n", exp(max_change));
      row_sum = add(p.let("rescaled_sum", multiply(before->row_sum, rescale)), row_sum);
      const Tensor rescaled_values = p.let("rescaled_values", multiply(before->weighted_values, rescale));
      weighted_values = add(rescaled_values, weighted_values);
    }
    before = {row_max, p.show("row_sum_" + block, "sum so far\n", row_sum),
              p.show("weighted_values_" + block, "weighted values so far\n", weighted_values)};
  }

  p.section("combined");
  const Tensor context_vecs =
      p.show("context_vecs", "context vectors\n", divide(before->weighted_values, before->row_sum));
  p.show("both_agree", "blocks and at once agree:", all_close(context_vecs, at_once));
}

}  // namespace attn::chapters::modern
