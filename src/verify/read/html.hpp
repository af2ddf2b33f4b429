#pragma once

#include <cstddef>
#include <string_view>

namespace attn::verify {

/// What an HTML element means for a page's text.
enum class Element {
  none,     ///< there is no such element
  inlined,  ///< its tags vanish
  space,    ///< a cell of a table
  block,    ///< begins and ends a line
  line,     ///< <br>
  dropped,  ///< neither it nor its content is text
};

/// By the element's name, in any case. Custom elements, which have a hyphen in their names, are Element::inlined.
Element find_element(std::string_view name);

/// A character reference at a text's start.
struct Reference {
  char32_t code = 0;
  std::size_t size = 0;  ///< from & to ; in bytes; 0: there is none
};

/// "&nbsp;", "&#8722;", "&#x2212;"
Reference find_reference(std::string_view text);

/// A tag, by its text from < to >.
struct Tag {
  std::string_view name;
  bool closing = false;
};

/// The tag that a text begins with, as far as its name; an empty name where it begins with none.
Tag find_tag(std::string_view text);

/// Whether an element with this opening tag holds the numbers of a listing's lines: no text of the listing.
bool holds_line_numbers(std::string_view tag);

/// Whether a file without a name that says so is HTML.
bool looks_like_html(std::string_view text);

}  // namespace attn::verify
