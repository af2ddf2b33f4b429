#pragma once

#include <optional>
#include <string_view>

#include "tensor/array.hpp"

namespace attn::verify {

/// The sizes in a comma-separated list, "6, 2"; empty if it contains anything else.
std::optional<Shape> sizes_in(std::string_view list);

/// Takes the bracketed sizes at a text's start: "[6, 2]" or "{6,3}". Empty, with the text unchanged, if anything else
/// is there.
std::optional<Shape> take_sizes(std::string_view& text, std::string_view opening, std::string_view closing);

}  // namespace attn::verify
