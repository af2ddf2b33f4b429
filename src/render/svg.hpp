#pragma once

#include <iosfwd>

#include "render/document.hpp"

namespace attn::render {

/// The one tensor among the first chapter's steps as a picture for a slide: a self-contained SVG 1.1 without scripts,
/// its numbers as PyTorch prints them on coloured cells, summarised where PyTorch summarises them, with the names of
/// rows and columns. Matrices along the axes before the last two stand below and beside one another.
void write_svg(std::ostream& out, const Document& document);

}  // namespace attn::render
