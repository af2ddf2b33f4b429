#include "chapters/attention.hpp"
#include "chapters/livebook/livebook.hpp"

namespace attn::chapters::livebook {

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

}  // namespace attn::chapters::livebook
