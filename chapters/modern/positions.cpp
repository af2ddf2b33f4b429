
#include "chapters/attention.hpp"
#include "chapters/modern/modern.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters::modern {
namespace {

void check_pairs(std::int64_t d_out, std::int64_t pair_distance) {
  if (d_out % 2 != 0) {
    throw LessonError(
        "rotary with queries and keys of " + std::to_string(d_out) + (d_out == 1 ? " number" : " numbers") +
        ": columns are rotated in pairs; use an even number; try --d-out-kq " + std::to_string(d_out + 1));
  }
  if (pair_distance != 1 && pair_distance != d_out / 2) {
    throw LessonError("--pair-distance " + std::to_string(pair_distance) + " with queries and keys of " +
                      std::to_string(d_out) + " numbers: use 1 for adjacent columns" +
                      (d_out > 2 ? " or " + std::to_string(d_out / 2) + " for halves" : "") +
                      "; or choose another --d-out-kq");
  }
}

/// Sines in even columns and cosines in odd ones, for the first d of them: [tokens, frequencies] each -> [tokens, d].
Tensor interleaved(const Tensor& sines, const Tensor& cosines, std::int64_t d) {
  const Tensor pairs = view(stack({sines, cosines}, 2), {sines.size(0), 2 * sines.size(1)});
  return d == pairs.size(1) ? pairs : slice(pairs, 1, 0, d);
}

void check_context_length(std::int64_t context_length, std::int64_t num_tokens) {
  if (context_length < num_tokens) {
    throw LessonError("--context-length " + std::to_string(context_length) + " is less than the " +
                      std::to_string(num_tokens) +
                      " tokens: an embedding has a row for each position, and none beyond; use " +
                      std::to_string(num_tokens) + " or more; or give fewer tokens");
  }
}

/// Attention without a mask: every token sees all others, wherever they stand.
void attend(Program& p, const Projections& W, const Tensor& inputs) {
  const Tensor queries = p.let("queries", W.W_query(inputs));
  const Tensor keys = p.let("keys", W.W_key(inputs));
  const Tensor values = p.let("values", W.W_value(inputs));
  p.show("context_vecs", "context vectors\n", matmul(attention_weights(p, queries, keys), values));
}

}  // namespace

/// Rotary position embedding: a token's position turns pairs of columns of its query and key, so that scores depend on
/// how far apart two tokens are. Formula: Su et al., "RoFormer", 2021. cos and sin are computed in float64: in float32
/// PyTorch's versions and kernels differ in the last bit.
void rotary(Program& p) {
  p.section("rotated");
  const Tensor inputs = p.inputs();
  const std::int64_t num_tokens = inputs.size(0);
  const auto [W_query, W_key, W_value] = p.projections(inputs.size(-1), {Init::randn, 4, 4});
  const std::int64_t d_out = W_query.d_out();
  const std::int64_t pair_distance = p.own_size("pair-distance", 1);
  check_pairs(d_out, pair_distance);
  const Pairs pairs = pair_distance == 1 ? Pairs::adjacent : Pairs::halves;
  const Tensor queries = p.show("queries", "queries\n", W_query(inputs));
  const Tensor keys = p.show("keys", "keys\n", W_key(inputs));
  const Tensor values = p.show("values", "values\n", W_value(inputs));

  const Tensor positions = p.let("positions", torch::positions(0, num_tokens, queries));
  const Tensor frequencies = p.show("frequencies", "frequencies\n", torch::frequencies(torch::frequency_base, d_out));
  const Tensor angles = p.show("angles", "angles\n", multiply(positions, frequencies));
  const Tensor cosines = p.show("cos", "cosines\n", cos(angles));
  const Tensor sines = p.show("sin", "sines\n", sin(angles));
  const Tensor rotated_queries =
      p.show("rotated_queries", "rotated queries\n", rotated(queries, cosines, sines, pairs));
  const Tensor rotated_keys = p.show("rotated_keys", "rotated keys\n", rotated(keys, cosines, sines, pairs));

  const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(rotated_queries, t(rotated_keys)));
  const Tensor mask = p.let("mask", torch::causal_mask(num_tokens), "mask.bool()");
  const Tensor masked_attn_scores =
      p.show("masked_attn_scores", "masked attention scores\n", masked_fill(attn_scores, mask, minus_infinity));
  const Tensor attn_weights =
      p.show("attn_weights", "attention weights\n", softmax(scale(masked_attn_scores, rotated_keys)));
  p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));

  p.section("one_token");
  const Tensor same_queries =
      p.show("same_queries", "the first query at every position\n", stack(index(queries, 0), num_tokens));
  const Tensor same_keys = p.show("same_keys", "the first key at every position\n", stack(index(keys, 0), num_tokens));
  const Tensor rotated_same_queries =
      p.show("rotated_same_queries", "the first query, rotated\n", rotated(same_queries, cosines, sines, pairs));
  const Tensor rotated_same_keys =
      p.show("rotated_same_keys", "the first key, rotated\n", rotated(same_keys, cosines, sines, pairs));
  p.show("distance_scores", "scores by distance\n", matmul(rotated_same_queries, t(rotated_same_keys)));
}

/// Positions that are added to the inputs: sines and cosines, or rows that are learned. Formula: Vaswani et al.,
/// "Attention Is All You Need", 2017, section 3.5. cos and sin are computed in float64: in float32 PyTorch's versions
/// and kernels differ in the last bit.
void positions(Program& p) {
  p.section("no_positions");
  const Tensor inputs = p.embedded_sentence(true);
  const std::int64_t num_tokens = inputs.size(0);
  const std::int64_t d = inputs.size(1);
  const std::int64_t context_length = p.own_size("context-length", num_tokens + 4);
  check_context_length(context_length, num_tokens);
  const Projections W = p.projections(d, {Init::linear, 4, 4});
  attend(p, W, inputs);

  p.section("sinusoidal");
  const Tensor positions = p.let("positions", torch::positions(0, num_tokens, inputs));
  const Tensor frequencies = p.show("frequencies", "frequencies\n", torch::frequencies(torch::frequency_base, d));
  const Tensor angles = p.show("angles", "angles\n", multiply(positions, frequencies));
  const Tensor sines = p.let("sin", sin(angles));
  const Tensor cosines = p.let("cos", cos(angles));
  const Tensor encodings = p.show("encodings", "position encodings\n", interleaved(sines, cosines, d));
  const Tensor encoded_inputs = p.show("inputs_with_positions", "inputs with positions\n", add(inputs, encodings));
  attend(p, W, encoded_inputs);
  p.show("encoding_products", "products of encodings\n", matmul(encodings, t(encodings)));

  p.section("learned");
  const torch::Embedding pos_embedding = p.embedding("pos_embedding", context_length, d);
  const Tensor position_ids = p.let("position_ids", torch::token_range(0, num_tokens, inputs));
  const Tensor pos_embeddings = p.show("pos_embeddings", "position embeddings\n", pos_embedding(position_ids));
  attend(p, W, p.show("inputs_with_positions", "inputs with positions\n", add(inputs, pos_embeddings)));
}

}  // namespace attn::chapters::modern
