#pragma once

#include <string>
#include <string_view>

namespace attn::fuzz {

/// Reads a file of that name, and looks whether what is found is where it says.
void read_page(const std::string& name, std::string_view bytes);

}  // namespace attn::fuzz
