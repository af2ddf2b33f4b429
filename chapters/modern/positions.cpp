#include <cstdint>
#include <string>

#include "chapters/attention.hpp"
#include "chapters/modern/modern.hpp"

namespace attn::chapters::modern {
namespace {

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
  const Projections W = p.projections(d, {.init = Init::linear, .d_out_kq = 4, .d_out_v = 4});
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
