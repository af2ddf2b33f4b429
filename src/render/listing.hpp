#pragma once

#include <iosfwd>

#include "render/document.hpp"

namespace attn::render {

/// The steps as the article prints them, where it is asked for as heat maps or explained, or one number's derivation.
/// Each of several chapters follows a line "# NAME".
void write_listing(std::ostream& out, const Document& document);

}  // namespace attn::render
