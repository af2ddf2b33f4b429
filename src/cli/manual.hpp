#pragma once

#include <string>

namespace attn::cli {

/// The manual page, in roff with man(7) macros: options, commands, guides, environment.
std::string manual_page();

}  // namespace attn::cli
