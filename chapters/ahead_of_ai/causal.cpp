#include "chapters/ahead_of_ai/ahead_of_ai.hpp"
#include "chapters/attention.hpp"

namespace attn::chapters::ahead_of_ai {

void causal(Program& p) {
  p.section("renormalised");
  const Tensor inputs = p.embedded_sentence(false);
  const auto [W_query, W_key, W_value] =
      p.projections(inputs.size(-1), {.init = Init::rand, .d_out_kq = 2, .d_out_v = 4});
  const Tensor keys = p.let("keys", W_key(inputs));
  const Tensor queries = p.let("queries", W_query(inputs));
  p.let("values", W_value(inputs));
  causal_both_ways(p, queries, keys, {.attn_scores = ""});
}

}  // namespace attn::chapters::ahead_of_ai
