#pragma once

#include "article.hpp"

/// "Build a LLM from scratch: Attention Mechanism".
namespace attn::chapters::blog {

extern const Article article;

void simplified(Program& p);
void trainable(Program& p);
void causal(Program& p);
void dropout(Program& p);
void multihead(Program& p);

}  // namespace attn::chapters::blog
