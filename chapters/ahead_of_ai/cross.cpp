#include "chapter.hpp"
#include "inputs.hpp"
#include "projection.hpp"
#include "scaled.hpp"

namespace attn::chapters::ahead_of_ai {

void cross(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  const Tensor inputs =
      has_random_inputs(lesson) ? seeded_inputs(lesson, torch) : embedded_sentence(lesson, torch, walk);
  if (!has_random_inputs(lesson)) {
    torch.manual_seed(lesson.seed);
  }
  walk.show("inputs", "", inputs);
  walk.size("inputs", "", inputs);

  const std::int64_t d_in = inputs.size(1);
  const auto W = make_projections(lesson, torch, d_in, {Init::rand, 2, 4});
  W.show_extra(walk);
  const Tensor second_input = torch.rand({8, d_in});
  walk.size("inputs", "First input shape:", inputs);
  walk.size("second_input", "Second input shape:", second_input);
  walk.show("second_input", "second input\n", second_input);

  const Tensor queries = W.W_query(inputs);
  const Tensor keys = W.W_key(second_input);
  const Tensor values = W.W_value(second_input);
  walk.show("queries", "queries\n", queries);
  walk.show("keys", "keys\n", keys);
  walk.show("values", "values\n", values);
  const Tensor keys_transposed = t(keys);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores = matmul(queries, keys_transposed);
  walk.show("attn_scores", "attention scores\n", attn_scores);
  const Tensor scaled_attn_scores = scaled(attn_scores, keys);
  walk.extra("scaled_attn_scores", scaled_attn_scores);
  const Tensor attn_weights = torch.softmax(scaled_attn_scores);
  walk.show("attn_weights", "attention weights\n", attn_weights);
  const Tensor context_vecs = matmul(attn_weights, values);
  walk.show("context_vecs", "", context_vecs);
  walk.size("context_vecs", "Output shape:", context_vecs);
}

}  // namespace attn::chapters::ahead_of_ai
