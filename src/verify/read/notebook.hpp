#pragma once

#include <string>
#include <string_view>

#include "verify/read/page_text.hpp"

namespace attn::verify {

/// Whether a file without a name that says so is a Jupyter notebook.
bool looks_like_notebook(std::string_view text);

/// Writes what the cells of a Jupyter notebook printed: streams and results as plain text; and what they hold: code
/// and Markdown. The name is for the PageError of a notebook that is none.
void write_notebook(PageText& out, PageText& listing, const std::string& name, std::string_view text);

}  // namespace attn::verify
