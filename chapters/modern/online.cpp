#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "chapters/attention.hpp"
#include "chapters/modern/modern.hpp"

namespace attn::chapters::modern {
namespace {

void check_blocks_listable(std::int64_t num_tokens, std::int64_t block_size) {
  constexpr std::int64_t most = 1000;
  if ((num_tokens + block_size - 1) / block_size > most) {
    throw LessonError("online with " + std::to_string(num_tokens) + " tokens in blocks of " +
                      std::to_string(block_size) + ": each block has its own steps; use up to " + std::to_string(most) +
                      " blocks; try --block-size " + std::to_string((num_tokens + most - 1) / most));
  }
}

/// What is known of each query's row after some blocks of keys.
struct Running {
  Tensor row_max;
  Tensor row_sum;
  Tensor weighted_values;
};

}  // namespace

/// Softmax over blocks of keys, as fused kernels compute it: no row of scores is ever whole. Formula: Milakov and
/// Gimelshein, "Online normalizer calculation for softmax", 2018; Dao et al., "FlashAttention", 2022.
void online(Program& p) {
  p.section("at_once");
  const Tensor inputs = p.inputs();
  const std::int64_t num_tokens = inputs.size(0);
  const std::int64_t block_size = p.own_size("block-size", 2);
  check_blocks_listable(num_tokens, block_size);
  const auto [W_query, W_key, W_value] =
      p.projections(inputs.size(-1), {.init = Init::randn, .d_out_kq = 2, .d_out_v = 2});
  const Tensor queries = p.show("queries", "queries\n", W_query(inputs));
  const Tensor keys = p.show("keys", "keys\n", W_key(inputs));
  const Tensor values = p.show("values", "values\n", W_value(inputs));
  const Tensor all_scores = p.show("attn_scores", "attention scores\n", matmul(queries, t(keys)));
  const Tensor attn_weights = p.show("attn_weights", "attention weights\n", softmax(scale(all_scores, keys)));
  const Tensor at_once = p.show("context_vecs", "context vectors\n", matmul(attn_weights, values));

  std::optional<Running> before;
  for (std::int64_t first = 0; first < num_tokens; first += block_size) {
    const std::string block = std::to_string(first / block_size + 1);
    p.section("block_" + block);
    const std::int64_t end = std::min(first + block_size, num_tokens);
    const Tensor block_keys = p.show("block_keys", "keys of the block\n", slice(keys, 0, first, end));
    const Tensor block_values = p.show("block_values", "values of the block\n", slice(values, 0, first, end));
    const Tensor attn_scores = p.show("attn_scores", "attention scores\n", matmul(queries, t(block_keys)));
    const Tensor scaled = p.let("scaled_attn_scores", scale(attn_scores, block_keys));
    Tensor row_max = amax(scaled);
    if (before) {
      row_max = maximum(before->row_max, p.show("block_max", "maximum of the block\n", row_max));
    }
    p.show("row_max_" + block, "maximum so far\n", row_max);
    const Tensor exps =
        p.show("exps_" + block, "exponentials\n", exp(p.let("shifted_scores", subtract(scaled, row_max))));
    Tensor row_sum = sum(exps, true);
    Tensor weighted_values = matmul(exps, block_values);
    if (before) {
      p.let("block_sum", row_sum);
      p.let("block_weighted", weighted_values);
      const Tensor max_change = p.let("max_change", subtract(before->row_max, row_max));
      const Tensor rescale = p.show("rescale", "factor for earlier blocks\n", exp(max_change));
      row_sum = add(p.let("rescaled_sum", multiply(before->row_sum, rescale)), row_sum);
      const Tensor rescaled_values = p.let("rescaled_values", multiply(before->weighted_values, rescale));
      weighted_values = add(rescaled_values, weighted_values);
    }
    before = {row_max, p.show("row_sum_" + block, "sum so far\n", row_sum),
              p.show("weighted_values_" + block, "weighted values so far\n", weighted_values)};
  }

  p.section("combined");
  const Tensor context_vecs =
      p.show("context_vecs", "context vectors\n", divide(before->weighted_values, before->row_sum));
  p.show("both_agree", "blocks and at once agree:", all_close(context_vecs, at_once));
}

}  // namespace attn::chapters::modern
