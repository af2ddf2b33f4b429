#pragma once

#include <optional>
#include <string_view>

#include "tensor/array.hpp"

namespace attn::verify {

/// Takes the sizes between brackets at a text's start: "[6, 2]" or "{6,3}". Nothing, and the text as it was, where
/// anything else stands there.
std::optional<Shape> take_sizes(std::string_view& text, std::string_view opening, std::string_view closing);

}  // namespace attn::verify
