#pragma once

#include "program.hpp"

namespace attn::chapters::livebook {

/// The page's fixed weights [3, 2], or where the lesson asks for other sizes or an initialisation, drawn ones.
Projections page_projections(Program& p, std::int64_t d_in);

}  // namespace attn::chapters::livebook
