#pragma once

#include <iosfwd>

#include "render/document.hpp"

namespace attn::render {

/// A handout in CommonMark: a heading for each chapter, section and step, with why, shapes, the printed tensor or its
/// heat map, and what to notice; or one number's derivation.
void write_markdown(std::ostream& out, const Document& document);

}  // namespace attn::render
