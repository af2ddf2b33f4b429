#pragma once

#include <string>

namespace attn::render {

/// The text in the zlib format, as base64: what a page's script unpacks when it needs it.
std::string packed(const std::string& text);

}  // namespace attn::render
