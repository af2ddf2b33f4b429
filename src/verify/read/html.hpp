#pragma once

#include <cstddef>
#include <string_view>

namespace attn::verify {

/// The effect of an HTML element on a page's text.
enum class Element {
  none,     ///< there is no such element
  inlined,  ///< its tags disappear
  space,    ///< a cell of a table
  block,    ///< begins and ends a line
  line,     ///< <br>
  dropped,  ///< neither its tags nor its content are text
};

/// Looks up an element by name, ignoring case. Custom elements, whose names have a hyphen, are Element::inlined.
Element find_element(std::string_view name);

/// A character reference at a text's start.
struct Reference {
  char32_t code = 0;
  std::size_t size = 0;  ///< from & to ; in bytes; 0 if there is none
};

/// "&nbsp;", "&#8722;", "&#x2212;"
Reference find_reference(std::string_view text);

/// A tag's text, from < to >.
struct Tag {
  std::string_view name;
  bool closing = false;
};

/// The tag at a text's start, up to its name; an empty name if there is none.
Tag find_tag(std::string_view text);

/// Returns true if an element with this opening tag holds a listing's line numbers, which are not text of the listing.
bool holds_line_numbers(std::string_view tag);

/// Returns true if the content of a file without a telling name is HTML.
bool looks_like_html(std::string_view text);

}  // namespace attn::verify
