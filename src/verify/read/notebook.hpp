#pragma once

#include <string>
#include <string_view>

#include "verify/read/page_text.hpp"

namespace attn::verify {

/// Returns true if the content of a file without a telling name is a Jupyter notebook.
bool looks_like_notebook(std::string_view text);

/// Writes the output of a Jupyter notebook's cells, streams and results as plain text, and their source: code and
/// Markdown. The name is for the PageError if it is not a valid notebook.
void write_notebook(PageText& out, PageText& listing, const std::string& name, std::string_view text);

}  // namespace attn::verify
