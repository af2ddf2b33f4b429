#pragma once

#include <string_view>

#include "verify/read/page_text.hpp"

namespace attn::verify {

/// What a text is written in. HTML that stands in Markdown is known in every text: <br>, <pre>, &nbsp; …
enum class Markup {
  text,  ///< Markdown, plain text, a terminal's log: a tag stays on its line
  html,
};

/// Writes what a reader of the text sees: without tags, comments and escape sequences. It is a part of the given
/// kind; what <pre> holds in prose or Markdown is one of its own. Takes time linear in the text.
void write_markup(PageText& out, std::string_view text, Markup markup, Part::Kind kind);

}  // namespace attn::verify
