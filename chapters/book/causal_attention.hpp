#pragma once

#include <string>

#include "program.hpp"

namespace attn::chapters::book {

/// The book's CausalAttention module: batch [b, tokens, d_in] -> context vectors [b, tokens, d_out_v], after dropout
/// with the lesson's rate, or none. `label` is printed before them.
Tensor causal_attention(Program& p, const Projections& W, const Tensor& batch, const std::string& label);

/// The modules' dropout of the weights; not printed if the rate is 0.
Tensor dropped(Program& p, const Tensor& attn_weights);

}  // namespace attn::chapters::book
