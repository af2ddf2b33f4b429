#pragma once

/// Text as parts of a CommonMark document.

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

#include "render/document.hpp"

namespace attn::render {

/// Writes the document's exercises as a handout in CommonMark: each step with some numbers hidden, a line to fill in
/// for each, and at the end the answers with their derivations. The document must request exercises.
void write_exercises_markdown(std::ostream& out, const Document& document);

/// Writes the exercises as a Jupyter notebook with an empty cell for each answer.
void write_exercises_notebook(std::ostream& out, const Document& document);

/// Escapes the characters that could be markup, so that the text reads as itself. Underscores within a word need no
/// escape.
std::string escaped_markdown(std::string_view text);

std::string code_span(const std::string& text);

std::size_t longest_backtick_run(std::string_view text);

/// The fence around text whose longest run of backticks has this length.
std::string fence_around(std::size_t longest_run);

/// Writes a handout in CommonMark: a heading for each chapter, section and step, with the reason, the shapes, the
/// printed tensor or its heat map, and notices; or one number's derivation.
void write_markdown(std::ostream& out, const Document& document);

}  // namespace attn::render
