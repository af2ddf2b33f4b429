#pragma once

#include <string>

namespace attn::cli {

/// The manual page, as roff with the macros of man(7): what --help says of every command, on one page.
std::string manual_page();

}  // namespace attn::cli
