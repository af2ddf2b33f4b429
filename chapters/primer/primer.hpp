#pragma once

#include "program.hpp"

/// "Attention".
namespace attn::chapters::primer {

void simplified(Program& p);
void trainable(Program& p);

}  // namespace attn::chapters::primer
