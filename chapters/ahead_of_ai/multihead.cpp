#include <vector>

#include "chapters/ahead_of_ai/ahead_of_ai.hpp"
#include "chapters/attention.hpp"

namespace attn::chapters::ahead_of_ai {
namespace {

/// One SelfAttention head with its own weights: inputs [n, d_in] -> [n, d_out_v].
Tensor head(Program& p, const Tensor& inputs) {
  const Projections W = p.projections(inputs.size(-1), {.init = Init::rand, .d_out_kq = 2, .d_out_v = 1});
  return self_attention(p, W, inputs, "");
}

}  // namespace

void multihead(Program& p) {
  p.section("single_head");
  const Tensor embedded = p.embedded_sentence(false);
  const Tensor single = head(p, embedded);

  const Tensor inputs = p.seeded_again(embedded);
  const std::int64_t num_heads = p.num_heads(4);
  check_heads_listable(num_heads);
  std::vector<Tensor> heads;
  for (std::int64_t i = 1; i <= num_heads; ++i) {
    p.section("head_" + std::to_string(i));
    heads.push_back(head(p, inputs));
  }
  p.section("stacked");
  const Tensor context_vecs = p.show("context_vecs", "", cat(heads));
  p.size("context_vecs", "context_vecs.shape:", context_vecs);
  p.show("both_agree", "the single head is the first:", all_close(single, slice(context_vecs, -1, 0, single.size(1))));
}

}  // namespace attn::chapters::ahead_of_ai
