#pragma once

#include "chapters/article.hpp"

/// The chapters of the article "Attention in today's models".
namespace attn::chapters::modern {

void average(Program& p);
void padding(Program& p);
void grouped(Program& p);
void cache(Program& p);
void online(Program& p);
void rotary(Program& p);
void bias(Program& p);
void sinks(Program& p);
void positions(Program& p);
void backward(Program& p);

}  // namespace attn::chapters::modern
