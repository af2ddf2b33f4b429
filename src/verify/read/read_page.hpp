#pragma once

#include <string>
#include <string_view>

#include "verify/read/page.hpp"

namespace attn::verify {

/// Plain text, Markdown, a terminal's log, HTML or a Jupyter notebook's outputs, told apart by name and content.
/// Throws PageError for a file that is none of them.
Page parse_page(const std::string& name, std::string_view bytes);

/// The file of that name; "-" is standard input. Throws PageError.
Page read_page(const std::string& name);

}  // namespace attn::verify
