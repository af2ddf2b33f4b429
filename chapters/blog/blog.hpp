#pragma once

#include "program.hpp"

/// "Build a LLM from scratch: Attention Mechanism".
namespace attn::chapters::blog {

void simplified(Program& p);
void trainable(Program& p);
void causal(Program& p);
void dropout(Program& p);
void multihead(Program& p);

}  // namespace attn::chapters::blog
