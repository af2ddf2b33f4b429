#pragma once

#include <iosfwd>

#include "render/document.hpp"

namespace attn::render {

/// Writes a handout in CommonMark: a heading for each chapter, section and step, with the reason, the shapes, the
/// printed tensor or its heat map, and notices; or one number's derivation.
void write_markdown(std::ostream& out, const Document& document);

}  // namespace attn::render
