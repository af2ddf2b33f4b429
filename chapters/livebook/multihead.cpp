#include "chapter.hpp"
#include "heads.hpp"
#include "inputs.hpp"
#include "projection.hpp"
#include "rules.hpp"

namespace attn::chapters::livebook {
namespace {

struct Module {
  const Lesson& lesson;
  torch::Torch& torch;
  Walkthrough& walk;
  Tensor batch;
  std::int64_t num_heads;

  Projections draw(std::int64_t d_out) const {
    return make_projections(lesson, torch, batch.size(-1), {.init = Init::rand, .d_out_kq = d_out, .d_out_v = d_out});
  }
};

/// One head of its own: batch [b, tokens, d_in] -> [b, tokens, d_out].
Tensor single_head(const Module& module, const std::string& section) {
  Walkthrough& walk = module.walk;
  walk.section(section);
  const Projections W = module.draw(2);
  W.show_extra(walk);
  const Tensor keys = W.W_key(module.batch);
  const Tensor queries = W.W_query(module.batch);
  const Tensor values = W.W_value(module.batch);
  walk.show("keys", "keys\n", keys);
  walk.show("queries", "queries\n", queries);
  walk.show("values", "values\n", values);
  const Tensor keys_transposed = transpose(keys, 1, 2);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores = matmul(queries, keys_transposed);
  walk.show("attn_scores", "attention scores\n", attn_scores);
  const Tensor mask = torch::causal_mask(module.batch.size(1));
  walk.extra("mask", mask, "mask.bool()");
  const Tensor masked_attn_scores = masked(module.lesson, walk, attn_scores, mask, "masked attention scores\n");
  const Tensor scaled_attn_scores = scaled(module.lesson, walk, masked_attn_scores, keys);
  const Tensor attn_weights = masked_softmax(module.lesson, walk, scaled_attn_scores, mask);
  walk.show("attn_weights", "attention weights\n", attn_weights);
  const Tensor context_vecs = matmul(attn_weights, values);
  walk.show("context_vecs", "context vectors\n", context_vecs);
  return context_vecs;
}

/// One projection split among the heads: batch [b, tokens, d_in] -> [b, tokens, d_out].
void split_heads(const Module& module, const std::string& section, std::int64_t default_d_out) {
  Walkthrough& walk = module.walk;
  walk.section(section);
  seeded_inputs(module.lesson, module.torch);
  const Projections W = module.draw(default_d_out);
  const Projection out_proj(module.torch, module.lesson.init.value_or(Init::rand), W.d_out_v, W.d_out_v, false,
                            "out_proj");
  W.show_extra(walk);
  walk.extra("out_proj_weight", out_proj.weight(), "out_proj");
  const Tensor keys = W.W_key(module.batch);
  const Tensor queries = W.W_query(module.batch);
  const Tensor values = W.W_value(module.batch);
  walk.show("keys", "keys\n", keys);
  walk.show("queries", "queries\n", queries);
  walk.show("values", "values\n", values);
  const Tensor keys_heads = split(keys, module.num_heads);
  const Tensor queries_heads = split(queries, module.num_heads);
  const Tensor values_heads = split(values, module.num_heads);
  walk.extra("keys_heads", keys_heads);
  walk.extra("queries_heads", queries_heads);
  walk.extra("values_heads", values_heads);
  const Tensor keys_transposed = transpose(keys_heads, 2, 3);
  walk.extra("keys_transposed", keys_transposed);
  const Tensor attn_scores = matmul(queries_heads, keys_transposed);
  walk.show("attn_scores", "attention scores\n", attn_scores);
  const Tensor mask = torch::causal_mask(module.batch.size(1));
  walk.extra("mask", mask, "mask.bool()");
  const Tensor masked_attn_scores = masked(module.lesson, walk, attn_scores, mask, "masked attention scores\n");
  // By d_out, as the page does, not by head_dim.
  const Tensor scaled_attn_scores = scaled(module.lesson, walk, masked_attn_scores, keys);
  const Tensor attn_weights = masked_softmax(module.lesson, walk, scaled_attn_scores, mask);
  walk.show("attn_weights", "attention weights\n", attn_weights);
  const Tensor context_vec = transpose(matmul(attn_weights, values_heads), 1, 2);
  walk.show("context_vec", "context vectors of every head\n", context_vec);
  const Tensor context_vecs =
      view(contiguous(context_vec), {module.batch.size(0), module.batch.size(1), W.d_out_v});
  walk.extra("context_vecs", context_vecs);
  walk.show("output", "output\n", out_proj(context_vecs));
}

}  // namespace

void multihead(const Lesson& lesson, torch::Torch& torch, Walkthrough& walk) {
  walk.section("inputs");
  const Tensor inputs = shown_inputs(lesson, torch, walk);
  const Tensor batch = stack(inputs, lesson.batch.value_or(2));
  walk.extra("batch", batch);
  const Module module = {lesson, torch, walk, batch, lesson.num_heads.value_or(2)};

  for (const std::int64_t d_out : {4, 2}) {
    check_heads_divide(module.num_heads, lesson.d_out_kq.value_or(d_out), lesson.d_out_v.value_or(d_out));
  }
  check_heads_listable(module.num_heads);
  std::vector<Tensor> heads;
  for (std::int64_t head = 1; head <= module.num_heads; ++head) {
    heads.push_back(single_head(module, "head_" + std::to_string(head)));
  }
  walk.section("stacked");
  walk.show("context_vecs", "stacked heads\n", cat(heads));

  split_heads(module, "split_4", 4);
  split_heads(module, "split_2", 2);
}

}  // namespace attn::chapters::livebook
