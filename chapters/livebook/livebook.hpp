#pragma once

#include "program.hpp"

/// "Chapter 3: Coding Attention Mechanisms".
namespace attn::chapters::livebook {

void simplified(Program& p);
void trainable(Program& p);
void causal(Program& p);
void dropout(Program& p);
void multihead(Program& p);

}  // namespace attn::chapters::livebook
