#pragma once

#include <limits>
#include <optional>
#include <string>

#include "program.hpp"

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

}  // namespace attn::chapters
