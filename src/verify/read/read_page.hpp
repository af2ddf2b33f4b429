#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "verify/read/page.hpp"

namespace attn::verify {

/// Plain text, Markdown, a terminal's log, HTML or a Jupyter notebook's outputs, told apart by name and content.
/// Throws PageError for a file that is none of them.
Page parse_page(const std::string& name, std::string_view bytes);

/// Throws where a file of so many bytes may not be read: before it is, or, where its size is not known, as soon as it
/// has them.
using CheckSize = std::function<void(std::size_t bytes)>;

/// The file of that name; "-" is standard input. Throws PageError.
Page read_page(const std::string& name, const CheckSize& check_size = {});

}  // namespace attn::verify
