#pragma once

#include "chapters/article.hpp"

/// "Attention".
namespace attn::chapters::primer {

extern const Article article;

void simplified(Program& p);
void trainable(Program& p);

}  // namespace attn::chapters::primer
