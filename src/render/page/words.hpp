#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "lesson/explain.hpp"

/// The explanation of a step, as parts of a page.
namespace attn::render {

/// The glossary's terms, each with its meaning: <dt> and <dd>.
void write_glossary(std::ostream& out, std::string_view glossary);

/// A step's label as a heading; where that is none, or code, its name in words: "context vectors".
std::string heading_of(const Step& step);

/// Items of a list.
void write_notice_items(std::ostream& out, std::span<const std::string> notices);

/// Paragraphs and tables.
void write_reasons(std::ostream& out, std::span<const Reason> reasons);

/// The hidden steps that a step depends on.
void write_through(std::ostream& out, std::span<const StepExplanation> before);

}  // namespace attn::render
