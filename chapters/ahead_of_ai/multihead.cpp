#include "attention.hpp"
#include "chapter.hpp"
#include "heads.hpp"
#include "inputs.hpp"

namespace attn::chapters::ahead_of_ai {
namespace {

constexpr ProjectionDefaults sizes = {.init = Init::rand, .d_out_kq = 2, .d_out_v = 1};

/// One SelfAttention head with weights of its own: inputs [n, d_in] -> [n, d_out_v].
Tensor head(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk, const Tensor& inputs) {
  const auto W = make_projections(lesson, torch, inputs.size(1), sizes);
  W.show_extra(walk);
  return self_attention(lesson, walk, W, inputs, "");
}

}  // namespace

void multihead(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("single_head");
  const Tensor embedded = embedded_sentence(lesson, torch, walk, false);
  const Tensor single = head(lesson, torch, walk, embedded);

  const Tensor inputs = seeded_again(lesson, torch, embedded);
  std::vector<Tensor> heads;
  check_heads_listable(lesson.num_heads.value_or(4));
  for (std::int64_t i = 1; i <= lesson.num_heads.value_or(4); ++i) {
    walk.section("head_" + std::to_string(i));
    heads.push_back(head(lesson, torch, walk, inputs));
  }
  walk.section("stacked");
  const Tensor context_vecs = cat(heads);
  walk.show("context_vecs", "", context_vecs);
  walk.size("context_vecs", "context_vecs.shape:", context_vecs);
  walk.show("both_agree", "the single head is the first:", all_close(single, columns(context_vecs, single.size(1))));
}

}  // namespace attn::chapters::ahead_of_ai
