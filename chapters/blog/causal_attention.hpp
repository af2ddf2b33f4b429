#pragma once

#include "program.hpp"

namespace attn::chapters::blog {

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
