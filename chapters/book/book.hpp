#pragma once

#include "article.hpp"

/// "Build a Large Language Model (From Scratch)", chapter 3.
namespace attn::chapters::book {

extern const Article article;

void simplified(Program& p);
void trainable(Program& p);
void causal(Program& p);
void dropout(Program& p);
void multihead(Program& p);

}  // namespace attn::chapters::book
