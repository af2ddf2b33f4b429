#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "lesson/explain.hpp"

/// Writes the explanation of a step as parts of a page.
namespace attn::render {

/// The glossary's terms with their meanings: <dt> and <dd>.
void write_glossary(std::ostream& out, std::string_view glossary);

/// A step's label as a heading; if it has none, or the label is code, its name in words: "context vectors".
std::string heading_of(const Step& step);

/// Writes the notices as list items.
void write_notice_items(std::ostream& out, std::span<const std::string> notices);

/// Writes the reasons as paragraphs and tables.
void write_reasons(std::ostream& out, std::span<const Reason> reasons);

/// Writes the hidden steps that a step depends on.
void write_through(std::ostream& out, std::span<const StepExplanation> before);

}  // namespace attn::render
