#pragma once

#include "article.hpp"

/// What today's models do otherwise: an article of our own.
namespace attn::chapters::modern {

extern const Article article;

void grouped(Program& p);
void cache(Program& p);

}  // namespace attn::chapters::modern
