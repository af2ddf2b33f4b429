#pragma once

#include <limits>

#include "chapters/article.hpp"
#include "chapters/program.hpp"
#include "tensor/operations.hpp"

/// Parts that the programs of several articles share.
namespace attn::chapters {

/// softmax(queries @ keys.T / keys.shape[-1]**0.5): queries [n, d], keys [m, d] -> [n, m].
Tensor attention_weights(Program& p, const Tensor& queries, const Tensor& keys);

/// The articles' SelfAttention module on all tokens: inputs [n, d_in] -> context vectors [n, d_out_v]. `label` is
/// printed before them.
Tensor self_attention(Program& p, const Projections& W, const Tensor& inputs, const std::string& label);

/// Both ways to apply a causal mask, for queries and keys [n, d]: weights masked and renormalised, scores with -inf
/// above the diagonal, and a check that they agree. Labels are the article's; scores without a label are not printed.
struct CausalLabels {
  std::optional<std::string> attn_scores = {};
  std::string attn_weights = {};
  std::string mask_simple = {};
  std::string masked_simple = {};
  std::string masked_simple_norm = {};
  std::string masked_attn_scores = {};
};
void causal_both_ways(Program& p, const Tensor& queries, const Tensor& keys, const CausalLabels& labels);

/// The section `ones`: seeds, then applies dropout with rate `rate` to ones [tokens, tokens]. `label` is printed before
/// the result.
void dropout_on_ones(Program& p, double rate, const std::string& label = "output\n");

/// The value of a masked score.
constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Throws LessonError if the heads cannot share the projections' columns evenly.
void check_heads_divide(std::int64_t num_heads, std::int64_t d_out_kq, std::int64_t d_out_v);

/// Throws LessonError if the number of key/value heads does not divide the number of query heads.
void check_groups(std::int64_t num_heads, std::int64_t num_kv_heads);

/// Throws LessonError if there are too many heads to list one by one.
void check_heads_listable(std::int64_t num_heads);

/// [b, tokens, d_out] -> [b, num_heads, tokens, head_dim], a view.
Tensor split(const Tensor& x, std::int64_t num_heads);

/// [b, tokens, num_heads, head_dim] -> [b, tokens, num_heads * head_dim]: the heads side by side.
Tensor join(const Tensor& x);

}  // namespace attn::chapters
