#pragma once

#include "chapters/article.hpp"
#include "chapters/program.hpp"

/// "Build a LLM from scratch: Attention Mechanism".
namespace attn::chapters::blog {

extern const Article article;

void simplified(Program& p);
void trainable(Program& p);
void causal(Program& p);
void dropout(Program& p);
void multihead(Program& p);

/// The operands of the context vectors: weights [batch, tokens, tokens] after dropout, values
/// [batch, tokens, d_out_v].
struct WeightsAndValues {
  Tensor dropout_attn_weights;
  Tensor values;
};

/// The tensors of CausalAttention that the article prints.
enum class Prints { everything, weights_and_dropout };

/// The blog's CausalAttention on a batch, up to the weights after dropout with rate `rate`.
WeightsAndValues causal_attention(Program& p, double rate, Prints prints);

}  // namespace attn::chapters::blog
