#include "chapters/ahead_of_ai/ahead_of_ai.hpp"
#include "chapters/attention.hpp"

namespace attn::chapters::ahead_of_ai {

void cross(Program& p) {
  const Tensor inputs = p.embedded_sentence(true);
  p.size("inputs", "", inputs);

  const std::int64_t d_in = inputs.size(-1);
  const auto [W_query, W_key, W_value] = p.projections(d_in, {.init = Init::rand, .d_out_kq = 2, .d_out_v = 4});
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

}  // namespace attn::chapters::ahead_of_ai
