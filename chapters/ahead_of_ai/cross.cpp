#include "attention.hpp"
#include "chapter.hpp"
#include "inputs.hpp"

namespace attn::chapters::ahead_of_ai {

void cross(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  const Tensor inputs = embedded_sentence(lesson, torch, walk, true);
  walk.size("inputs", "", inputs);

  const std::int64_t d_in = inputs.size(1);
  const auto W = make_projections(lesson, torch, d_in, {.init = Init::rand, .d_out_kq = 2, .d_out_v = 4});
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
  const Tensor context_vecs = matmul(attention_weights(lesson, walk, queries, keys), values);
  walk.show("context_vecs", "", context_vecs);
  walk.size("context_vecs", "Output shape:", context_vecs);
}

}  // namespace attn::chapters::ahead_of_ai
