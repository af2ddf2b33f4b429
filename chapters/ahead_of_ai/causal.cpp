#include "attention.hpp"
#include "chapter.hpp"
#include "inputs.hpp"

namespace attn::chapters::ahead_of_ai {

void causal(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("renormalised");
  const Tensor inputs = embedded_sentence(lesson, torch, walk, false);
  const auto W =
      make_projections(lesson, torch, inputs.size(1), {.init = Init::rand, .d_out_kq = 2, .d_out_v = 4});
  W.show_extra(walk);
  const Tensor keys = W.W_key(inputs);
  const Tensor queries = W.W_query(inputs);
  const Tensor values = W.W_value(inputs);
  walk.extra("keys", keys);
  walk.extra("queries", queries);
  walk.extra("values", values);
  causal_both_ways(lesson, walk, queries, keys, {});
}

}  // namespace attn::chapters::ahead_of_ai
