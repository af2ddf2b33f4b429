#pragma once

#include <string>

namespace attn::cli {

/// The manual page, as roff with the macros of man(7): the help of every command on one page.
std::string manual_page();

}  // namespace attn::cli
