#pragma once

#include <span>
#include <string>
#include <string_view>

#include "text/roff.hpp"

namespace attn::cli {

/// What the program is used for, told at length: a file of src/cli/guides.
struct Guide {
  std::string_view name;  ///< "verify"
  std::string_view text;  ///< Markdown: a heading, then headings, paragraphs, lists with "- " and fenced code
};

std::span<const Guide> guides();

/// Null where there is no such guide.
const Guide* find_guide(std::string_view name);

/// Its heading.
std::string_view title(const Guide& guide);

/// As a terminal shows it: code indented instead of fenced.
std::string shown(const Guide& guide);

/// As a section of the manual.
void write(text::Roff& roff, const Guide& guide);

}  // namespace attn::cli
