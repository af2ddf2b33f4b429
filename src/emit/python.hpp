#pragma once

#include <string>
#include <string_view>

#include "tensor/tensor.hpp"

/// Python's way to write values.
namespace attn::emit {

/// A string literal: "keys\\n".
std::string string_literal(std::string_view text);

/// A valid name of a variable, made of words that may not be one.
std::string identifier(std::string_view words);

/// The numbers as nested lists, each with the fewest digits that give it back. `module` has inf and nan: "np".
std::string list_literal(const Tensor& tensor, std::string_view module);

/// The statement with its brackets' items on several lines where one would be too long.
std::string wrapped_statement(const std::string& statement);

}  // namespace attn::emit
