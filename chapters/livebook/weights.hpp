#pragma once

#include "program.hpp"

namespace attn::chapters::livebook {

/// The page's fixed weights [3, 2], or drawn ones if the lesson sets other sizes or an initialisation.
Projections page_projections(Program& p, std::int64_t d_in);

}  // namespace attn::chapters::livebook
