#include "attention.hpp"
#include "chapter.hpp"
#include "inputs.hpp"
#include "livebook/weights.hpp"

namespace attn::chapters::livebook {

void causal(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("renormalised");
  const Tensor inputs = shown_inputs(lesson, torch, walk);
  const auto W = page_projections(lesson, torch, inputs.size(-1));
  W.show_extra(walk);
  const Tensor keys = W.W_key(inputs);
  const Tensor queries = W.W_query(inputs);
  walk.show("keys", "keys\n", keys);
  walk.show("queries", "queries\n", queries);
  causal_both_ways(lesson, walk, queries, keys,
                   {.attn_scores = "attn_score\n",
                    .attn_weights = "attn_weights\n",
                    .mask_simple = "mask_simple\n",
                    .masked_simple = "masked\n",
                    .masked_simple_norm = "masked_norm\n",
                    .masked_attn_scores = "masked\n"});
}

}  // namespace attn::chapters::livebook
