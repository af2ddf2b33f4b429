#pragma once

#include <iosfwd>

#include "render/document.hpp"

namespace attn::render {

/// Writes the document's exercises as a handout in CommonMark: each step with some numbers hidden, a line to fill in
/// for each, and at the end the answers with their derivations. The document must request exercises.
void write_exercises_markdown(std::ostream& out, const Document& document);

/// Writes the exercises as a Jupyter notebook with an empty cell for each answer.
void write_exercises_notebook(std::ostream& out, const Document& document);

}  // namespace attn::render
