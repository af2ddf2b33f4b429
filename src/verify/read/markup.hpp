#pragma once

#include <string_view>

#include "verify/read/page_text.hpp"

namespace attn::verify {

/// The markup of a text. HTML within Markdown is recognised in every text: <br>, <pre>, &nbsp; …
enum class Markup {
  text,  ///< Markdown, plain text or a terminal's log: a tag does not span lines
  html,
};

/// Writes what a reader of the text sees, without tags, comments and escape sequences, as a part of the given kind; the
/// content of <pre> in prose or Markdown is a part of its own. Takes time linear in the text.
void write_markup(PageText& out, std::string_view text, Markup markup, Part::Kind kind);

}  // namespace attn::verify
