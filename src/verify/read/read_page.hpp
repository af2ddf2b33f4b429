#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "verify/read/page.hpp"

namespace attn::verify {

/// Parses plain text, Markdown, a terminal's log, HTML or a Jupyter notebook's outputs, distinguished by name and
/// content. Throws PageError for any other file.
Page parse_page(const std::string& name, std::string_view bytes);

/// Throws if a file of this size may not be read. Called before reading or, if the size is unknown, as soon as that
/// many bytes are read.
using CheckSize = std::function<void(std::size_t bytes)>;

/// Reads the file of that name; "-" is standard input. Throws PageError.
Page read_page(const std::string& name, const CheckSize& check_size = {});

}  // namespace attn::verify
