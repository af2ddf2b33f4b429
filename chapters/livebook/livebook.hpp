#pragma once

#include "article.hpp"

/// "Chapter 3: Coding Attention Mechanisms".
namespace attn::chapters::livebook {

extern const Article article;

void simplified(Program& p);
void trainable(Program& p);
void causal(Program& p);
void dropout(Program& p);
void multihead(Program& p);

}  // namespace attn::chapters::livebook
