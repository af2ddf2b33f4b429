#pragma once

#include <iosfwd>

#include "render/document.hpp"

namespace attn::render {

/// Writes the steps as the article prints them, optionally as heat maps or explained, or one number's derivation. If
/// there are several chapters, each follows a line "# NAME".
void write_listing(std::ostream& out, const Document& document);

}  // namespace attn::render
