#pragma once

#include "program.hpp"

/// "Understanding and Coding Self-Attention, Multi-Head Attention, Cross-Attention, and Causal-Attention in LLMs".
namespace attn::chapters::ahead_of_ai {

void trainable(Program& p);
void causal(Program& p);
void multihead(Program& p);
void cross(Program& p);

}  // namespace attn::chapters::ahead_of_ai
