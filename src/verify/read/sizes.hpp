#pragma once

#include <optional>
#include <string_view>

#include "tensor/array.hpp"

namespace attn::verify {

/// The sizes that a list between commas says, "6, 2"; nothing where it says anything else.
std::optional<Shape> sizes_in(std::string_view list);

/// Takes the sizes between brackets at a text's start: "[6, 2]" or "{6,3}". Nothing, and the text as it was, where
/// anything else stands there.
std::optional<Shape> take_sizes(std::string_view& text, std::string_view opening, std::string_view closing);

}  // namespace attn::verify
