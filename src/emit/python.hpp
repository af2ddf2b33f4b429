#pragma once

#include <string>
#include <string_view>

#include "tensor/tensor.hpp"

/// Values as Python literals.
namespace attn::emit {

/// A string literal: "keys\\n".
std::string string_literal(std::string_view text);

/// A valid variable name made from words.
std::string identifier(std::string_view words);

/// The numbers as nested lists, each with the fewest digits that restore it. `module` provides inf and nan: "np".
std::string list_literal(const Tensor& tensor, std::string_view module);

/// The statement, with the items of brackets on several lines if it is too long for one.
std::string wrapped_statement(const std::string& statement);

}  // namespace attn::emit
