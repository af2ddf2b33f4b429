#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attn::cli {

/// A guide to one use of the program: a file in src/cli/guides.
struct Guide {
  std::string_view name;  ///< "verify"
  std::string_view text;  ///< Markdown: a heading, then headings, paragraphs, lists with "- " and fenced code
};

std::span<const Guide> guides();

/// Returns null if there is no such guide.
const Guide* find_guide(std::string_view name);

/// The guide's first heading.
std::string_view title(const Guide& guide);

/// The guide's text for a terminal, with code indented instead of fenced.
std::string shown(const Guide& guide);

}  // namespace attn::cli
