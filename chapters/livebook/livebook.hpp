#pragma once

#include "chapters/article.hpp"
#include "chapters/program.hpp"

/// "Chapter 3: Coding Attention Mechanisms".
namespace attn::chapters::livebook {

extern const Article article;

void simplified(Program& p);
void trainable(Program& p);
void causal(Program& p);
void dropout(Program& p);
void multihead(Program& p);

/// The page's fixed weights [3, 2], or drawn ones if the lesson sets other sizes or an initialisation.
Projections page_projections(Program& p, std::int64_t d_in);

}  // namespace attn::chapters::livebook
