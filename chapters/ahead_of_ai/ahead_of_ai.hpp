#pragma once

#include "chapters/article.hpp"

/// "Understanding and Coding Self-Attention, Multi-Head Attention, Cross-Attention, and Causal-Attention in LLMs".
namespace attn::chapters::ahead_of_ai {

extern const Article article;

void trainable(Program& p);
void causal(Program& p);
void multihead(Program& p);
void cross(Program& p);

}  // namespace attn::chapters::ahead_of_ai
