#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

namespace attn::render {

/// Writes text escaped for HTML, also inside quotes.
void write_escaped(std::ostream& out, std::string_view text);

/// Writes the contents of a placeholder.
using Write = std::function<void(std::ostream&)>;
using Blanks = std::map<std::string_view, Write>;

Write escaped(std::string text);
/// `html` must outlive it.
Write verbatim(std::string_view html);

/// Writes the template with each {{name}} replaced, piece by piece, because a page may be larger than memory.
void write_filled(std::ostream& out, std::string_view pattern, const Blanks& places);

/// The text between <!--name--> and <!--/name-->, and the pattern with {{name}} in its place.
struct Cut {
  std::string inner;
  std::string rest;
};

Cut cut_out(const std::string& pattern, const std::string& name);

}  // namespace attn::render
