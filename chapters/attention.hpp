#pragma once

#include <string>

#include "projection.hpp"
#include "torch/torch.hpp"
#include "walk/walkthrough.hpp"

namespace attn::chapters {

/// softmax(queries @ keys.T / keys.shape[-1]**0.5), with the steps that lead to it: queries [n, d], keys [m, d] ->
/// [n, m].
Tensor attention_weights(const Lesson& lesson, Walkthrough& walk, const Tensor& queries,
                         const Tensor& keys);

/// The articles' SelfAttention module on all tokens: inputs [n, d_in] -> context vectors [n, d_out_v], with its steps.
/// `label` is what the article's print call writes before the context vectors.
Tensor self_attention(const Lesson& lesson, Walkthrough& walk, const Projections& W,
                      const Tensor& inputs, const std::string& label);

/// Both ways to a causal mask, from scores [n, n] and keys [n, d]: weights, masked and renormalised; then scores with
/// -inf above the diagonal; and that they agree. Returns the weights. Labels are as in the article.
struct CausalLabels {
  std::string attn_scores;
  std::string attn_weights;
  std::string mask_simple;
  std::string masked_simple;
  std::string masked_simple_norm;
  std::string masked_attn_scores;
};
Tensor causal_both_ways(const Lesson& lesson, Walkthrough& walk, const Tensor& queries,
                        const Tensor& keys, const CausalLabels& labels);

}  // namespace attn::chapters
