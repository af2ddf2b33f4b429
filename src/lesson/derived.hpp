#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tensor/derivation.hpp"
#include "tensor/tensor.hpp"

/// Helpers for writing derivations.
namespace attn::render {

/// The derivation of an element from its tensor's operands; a parameter counts as given, however it was drawn.
Derivation derived(const Tensor& tensor, const Shape& index);

/// The value of an operand's element.
double value_of(const Tensor& tensor, const Element& element);

/// The first axis along which the two indices differ.
std::optional<std::size_t> differing_axis(const Shape& first, const Shape& last);

/// A number within the arithmetic: two digits more than PyTorch prints at that precision, so the last printed digit
/// comes out right.
std::string arithmetic_text(double value, int precision);

/// Compares two float32 numbers as torch.allclose does.
bool is_close(double a, double b);

}  // namespace attn::render
