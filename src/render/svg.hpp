#pragma once

#include <iosfwd>

#include "render/document.hpp"

namespace attn::render {

/// Writes the one tensor among the first chapter's steps as a picture for a slide: a self-contained SVG 1.1 without
/// scripts, with its numbers as PyTorch prints them on coloured cells, summarised as PyTorch does, and the names of
/// rows and columns. Matrices along the axes before the last two are placed below and beside one another.
void write_svg(std::ostream& out, const Document& document);

}  // namespace attn::render
