#pragma once

#include <string>

namespace attn::render {

/// The text compressed with zlib, as base64; a page's script unpacks it on demand.
std::string packed(const std::string& text);

}  // namespace attn::render
