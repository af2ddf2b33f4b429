#pragma once

#include <string>

#include "chapters/article.hpp"
#include "chapters/program.hpp"

/// "Build a Large Language Model (From Scratch)", chapter 3.
namespace attn::chapters::book {

extern const Article article;

void simplified(Program& p);
void trainable(Program& p);
void causal(Program& p);
void dropout(Program& p);
void multihead(Program& p);

/// The book's CausalAttention module: batch [b, tokens, d_in] -> context vectors [b, tokens, d_out_v], after dropout
/// with the lesson's rate, or none. `label` is printed before them.
Tensor causal_attention(Program& p, const Projections& W, const Tensor& batch, const std::string& label);

/// The modules' dropout of the weights; not printed if the rate is 0.
Tensor dropped(Program& p, const Tensor& attn_weights);

/// The seed of this module; everything else uses 123.
inline constexpr torch::Seed v2_seed = 789;

/// Three nn.Linear(3, 2, bias=False).
inline constexpr ProjectionDefaults v2_weights = {.init = Init::linear, .d_out_kq = 2, .d_out_v = 2};

}  // namespace attn::chapters::book
